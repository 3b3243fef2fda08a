/** A row as written by a program of that version. Never changed later; a new migration adds a list. */
export interface EarlierRow {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}

/** For each migration, in order: one row of each table that it created. */
export const earlierRows: readonly (readonly EarlierRow[])[] = [
  // 0001-fleet
  [
    { table: 'settings', row: { name: 'hub_id', value: '0d8f' } },
    {
      table: 'organizations',
      row: {
        id: 'org-1',
        name: 'Workshop',
        public_namespace: 'workshop',
        region: 'here',
        cid: null,
        metadata: '{"a":1}',
        created_at: 1_700_000_000_001,
      },
    },
    {
      table: 'locations',
      row: {
        id: 'loc1',
        organization_id: 'org-1',
        parent_id: null,
        name: 'Bench',
        region: '',
        metadata: '{}',
        created_at: 1_700_000_000_002,
      },
    },
    {
      table: 'machines',
      row: {
        id: 'machine-1',
        location_id: 'loc1',
        name: 'Left_arm',
        dns_label: 'left-arm',
        metadata: '{}',
        created_at: 1_700_000_000_003,
      },
    },
    {
      table: 'parts',
      row: {
        id: 'part-1',
        machine_id: 'machine-1',
        name: 'main',
        dns_label: 'main',
        is_main: 1,
        metadata: '{}',
        created_at: 1_700_000_000_004,
        updated_at: 1_700_000_000_005,
        version: 1,
        last_access_at: null,
      },
    },
  ],
  // 0002-access
  [
    {
      table: 'api_keys',
      row: {
        id: 'key-1',
        organization_id: 'org-1',
        name: 'owner',
        sha256: 'ab'.repeat(32),
        generation: 2,
        created_at: 1_700_000_000_006,
      },
    },
    {
      table: 'authorizations',
      row: {
        id: 'authorization-1',
        key_id: 'key-1',
        role: 'owner',
        resource_type: 'organization',
        resource_id: 'org-1',
        organization_id: 'org-1',
        created_at: 1_700_000_000_007,
      },
    },
    {
      table: 'part_secrets',
      row: { id: 'secret-1', part_id: 'part-1', sha256: 'cd'.repeat(32), created_at: 1_700_000_000_008 },
    },
    { table: 'token_keys', row: { kid: 'kid-1', private_jwk: '{}', created_at: 1_700_000_000_009 } },
  ],
  // 0003-part-versions
  [
    {
      table: 'part_versions',
      row: {
        part_id: 'part-1',
        number: 1,
        revision: '0123456789ab',
        text: '{"components": []}\n',
        author_type: 'api-key',
        author: 'key-1',
        created_at: 1_700_000_000_010,
        note: '',
        tag: 'good',
        summary: 'first configuration',
        result: 'ready',
        result_message: '',
        result_at: 1_700_000_000_011,
      },
    },
  ],
  // 0004-history
  [
    {
      table: 'part_version_words',
      row: {
        part_id: 'part-1',
        number: 1,
        created_at: 1_700_000_000_010,
        is_tagged: 1,
        is_guess: 0,
        words: 'key-1\nfirst configuration\n\ngood',
      },
    },
  ],
  // 0005-presence
  [
    {
      table: 'part_presence',
      row: {
        part_id: 'part-1',
        is_online: 1,
        online_since: 1_700_000_000_012,
        last_seen_at: 1_700_000_000_013,
        owns_config: 0,
        version: '0.1.0',
        platform: 'linux/amd64',
        host: 'bench',
        started_at: 1_700_000_000_014,
        status: '',
        status_at: null,
      },
    },
  ],
  // 0006-logs
  [
    { table: 'part_logs', row: { part_id: 'part-1', log_id: 'log-1', log_number: 0, stored_seq: 7 } },
    {
      table: 'part_log_entries',
      row: {
        part_id: 'part-1',
        position: 7,
        time: 1_700_000_000_015,
        level: 3,
        logger: 'core.test',
        message: 'late',
        fields: '{"ms":5}',
        resource: '',
        caller: '',
        repeat_count: 1,
        first_time: null,
      },
    },
  ],
  // 0007-presence-gap
  [],
  // 0008-log-received
  [],
  // 0009-history-found
  [],
  // 0010-registry
  [
    {
      table: 'modules',
      row: {
        id: 'module-1',
        organization_id: 'org-1',
        namespace: 'workshop',
        name: 'motors',
        visibility: 'private',
        description: 'Motors of the workshop',
        url: '',
        entrypoint: 'run.sh',
        first_run: '',
        models: '[{"api":"core:component:motor","model":"workshop:motors:fast","description":"","documentation":""}]',
        documentation: '',
        deprecated: '',
        deprecated_at: null,
        created_at: 1_700_000_000_016,
        updated_at: 1_700_000_000_017,
        words: 'workshop:motors',
        apis: '\ncore:component:motor\n',
      },
    },
    {
      table: 'module_versions',
      row: {
        module_id: 'module-1',
        version: '1.2.3',
        published_at: 1_700_000_000_018,
        published_by: 'owner',
        models: '[]',
        readme: '# Motors',
        entrypoint: 'run.sh',
        first_run: '',
        yanked: '',
        yanked_at: null,
      },
    },
    {
      table: 'module_files',
      row: {
        module_id: 'module-1',
        version: '1.2.3',
        platform: 'linux/any',
        tags: '["distro:debian"]',
        bytes: 5_000_000_000,
        sha256: 'ab'.repeat(32),
        statement: 'CgE=',
        signature: 'AA==',
        public_key: 'AA==',
        signed_by: '',
        uploaded_at: 1_700_000_000_019,
      },
    },
    {
      table: 'publisher_keys',
      row: {
        organization_id: 'org-1',
        id: '0011223344556677',
        name: 'release',
        public_key: 'AA==',
        added_at: 1_700_000_000_020,
        revoked_at: null,
      },
    },
    {
      table: 'key_endorsements',
      row: { organization_id: 'org-1', endorsed_key: 'AQ==', by_key: 'AA==', signature: 'AA==' },
    },
  ],
  // 0011-module-keys
  [
    {
      table: 'part_module_keys',
      row: {
        part_id: 'part-1',
        key_id: 'module-key-1',
        sha256: 'cd'.repeat(32),
        version: 'version-1',
        created_at: 1_700_000_000_021,
      },
    },
  ],
  // 0012-organization-maker
  [
    {
      table: 'organizations',
      row: {
        id: 'org-2',
        name: 'Second',
        public_namespace: null,
        region: '',
        cid: null,
        metadata: '{}',
        created_at: 1_700_000_000_022,
        made_by: 'org-1',
      },
    },
  ],
  // 0013-events
  [
    {
      table: 'events',
      row: {
        id: 7,
        kind: 'config.stored',
        organization_id: null,
        part_id: 'part-1',
        time: 1_700_000_000_023,
        payload: '{"number":1,"revision":"r"}',
      },
    },
    { table: 'event_consumers', row: { name: 'triggers', position: 6 } },
  ],
  // 0014-blobs
  [{ table: 'unsettled_blobs', row: { area: 'registry', sha256: 'ab'.repeat(32) } }],
  // 0015-data
  [
    {
      table: 'captures',
      row: {
        id: 3,
        digest: 'Zm9v',
        is_binary: 0,
        organization_id: 'org-1',
        location_id: 'loc1',
        machine_id: 'machine-1',
        machine_name: 'Left_arm',
        part_id: 'part-1',
        part_name: 'main',
        component_type: 'core:component:sensor',
        component_name: 'temperature',
        method_name: 'Readings',
        parameters: '{}',
        tags: '["a"]',
        mime_type: '',
        count: 1,
        bytes: 18,
        first_at: 1_700_000_000_024,
        last_at: 1_700_000_000_024,
      },
    },
    { table: 'capture_tags', row: { capture_id: 3, tag: 'a' } },
    {
      table: 'uploads',
      row: {
        number: 5,
        id: 'upload-1',
        sender_key: 'YmFy',
        capture_id: 3,
        type: 'tabular',
        count: 1,
        min_received: 1_700_000_000_024,
        max_received: 1_700_000_000_024,
        synced_at: 1_700_000_000_025,
        ages_from: 1_700_000_000_025,
      },
    },
    {
      table: 'readings',
      row: {
        id: 5 * 2 ** 17,
        capture_id: 3,
        requested_at: 1_700_000_000_023,
        received_at: 1_700_000_000_024,
        payload: '{"readings":{"a":1}}',
      },
    },
    {
      table: 'binary_data',
      row: {
        number: 6,
        id: 'upload-2',
        capture_id: 4,
        requested_at: 1_700_000_000_023,
        received_at: 1_700_000_000_024,
        sha256: 'ab'.repeat(32),
        bytes: 5_000_000_000,
        file_name: '/home/me/a.jpg',
        file_ext: '.jpg',
      },
    },
    { table: 'binary_tags', row: { binary_number: 6, tag: 'good' } },
    {
      table: 'binary_labels',
      row: {
        id: 'label-1',
        binary_number: 6,
        label: 'screw',
        confidence: null,
        x_min: 0.25,
        y_min: 0.25,
        x_max: 0.5,
        y_max: 0.75,
      },
    },
    {
      table: 'datasets',
      row: { id: 'dataset-1', organization_id: 'org-1', name: 'Screws', type: 0, created_at: 1_700_000_000_026 },
    },
    { table: 'dataset_members', row: { dataset_id: 'dataset-1', binary_number: 6 } },
    { table: 'data_retention', row: { organization_id: 'org-1', readings_days: 30, binary_days: 0 } },
  ],
  // 0016-triggers
  [
    {
      table: 'trigger_records',
      row: { part_id: 'part-1', trigger_name: 'hot', evaluated: 3, fired: 1, evaluations: '[]' },
    },
    {
      table: 'trigger_limits',
      row: {
        part_id: 'part-1',
        trigger_name: 'hot',
        target_key: 'ab'.repeat(32),
        last_at: 1_700_000_000_024,
        queued: 1,
        dropped: 2,
        dropped_since: 2,
      },
    },
    {
      table: 'deliveries',
      row: {
        number: 1,
        id: 'msg_1',
        part_id: 'part-1',
        event_id: 7,
        trigger_name: 'hot',
        event_type: 'part_online',
        kind: 'webhook',
        target: 'https://example.com/hook',
        target_key: 'ab'.repeat(32),
        lane: 'example.com',
        state: 'queued',
        is_late: 0,
        is_test: 0,
        happened_at: 1_700_000_000_025,
        created_at: 1_700_000_000_026,
        request: '{}',
        attempts: 1,
        next_at: 1_700_000_000_027,
        finished_at: null,
        failure: 'The receiver answered 500.',
        response: '',
      },
    },
    {
      table: 'webhook_secrets',
      row: {
        part_id: 'part-1',
        target_key: 'ab'.repeat(32),
        secret: 'whsec_AA==',
        made_at: 1_700_000_000_028,
        previous: '',
        previous_until: 0,
      },
    },
  ],
  // 0017-packages
  [
    {
      table: 'packages',
      row: {
        organization_id: 'org-1',
        type: 'ml_model',
        name: 'parts',
        version: '1.0.0',
        bytes: 1_234,
        sha256: 'cd'.repeat(32),
        crc32c: 'AAAAAA==',
        files: '[{"name":"parts.onnx","size":1000}]',
        metadata: '{"model_type":"unknown"}',
        uploaded_at: 1_700_000_000_029,
        uploaded_by: 'owner',
      },
    },
  ],
  // 0018-dataset-snapshots
  [
    {
      table: 'dataset_snapshots',
      row: {
        id: 'snapshot-1',
        dataset_id: 'dataset-1',
        number: 1,
        created_at: 1_700_000_000_029,
        note: 'before the new lamp',
        bytes: 5_000_000_000,
        counts: '{}',
      },
    },
    {
      table: 'dataset_snapshot_items',
      row: {
        snapshot_id: 'snapshot-1',
        position: 1,
        binary_id: 'upload-2',
        sha256: 'ab'.repeat(32),
        bytes: 5_000_000_000,
        received_at: 1_700_000_000_024,
        mime_type: 'image/jpeg',
        file_ext: '.jpg',
        organization_id: 'org-1',
        location_id: 'loc1',
        machine_id: 'machine-1',
        part_id: 'part-1',
        component_name: 'front',
      },
    },
    {
      table: 'dataset_snapshot_labels',
      row: {
        snapshot_id: 'snapshot-1',
        position: 1,
        kind: 'box',
        id: 'label-1',
        label: 'screw',
        confidence: null,
        x_min: 0.25,
        y_min: 0.25,
        x_max: 0.5,
        y_max: 0.75,
      },
    },
  ],
  // 0019-training
  [
    {
      table: 'training_jobs',
      row: {
        number: 1,
        id: 'job-1',
        organization_id: 'org-1',
        dataset_id: 'dataset-1',
        snapshot_id: '1',
        snapshot_number: 1,
        model_name: 'screws',
        model_version: '1',
        model_type: 3,
        tags: '["screw"]',
        status: 'failed',
        attempts: 1,
        created_at: 1_700_000_000_029,
        modified_at: 1_700_000_000_031,
        started_at: 1_700_000_000_030,
        ended_at: 1_700_000_000_031,
        failure: 'The loss became nan in epoch 2.',
        failure_code: 9,
        model_id: '',
      },
    },
    { table: 'training_epochs', row: { job_id: 'job-1', epoch: 1, of: 60, loss: 1.5, metrics: '{"f1":0.5}' } },
    {
      table: 'training_logs',
      row: { job_id: 'job-1', number: 1, time: 1_700_000_000_030, level: 'info', message: 'Read 60 pictures.' },
    },
  ],
  // 0020-training-snapshots
  [
    {
      table: 'trained_models',
      row: { organization_id: 'org-1', name: 'screws', version: '1', snapshot_id: 'snapshot-1' },
    },
  ],
  // 0021-custom-training
  [],
  // 0022-cluster
  [
    { table: 'part_restarts', row: { part_id: 'part-1' } },
    { table: 'signaling_waits', row: { part_id: 'part-1', hub_id: 'hub-1' } },
  ],
  // 0023-dashboards
  [
    {
      table: 'dashboards',
      row: { part_id: 'part-1', id: 'board-1', name: 'Bench', revision: '0123456789ab', tiles: '[]' },
    },
  ],
];
