import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Visibility } from '../../../proto/gen/core/app/v1/app.ts';
import {
  DownloadResponse,
  RegistryModule_Visibility,
  RegistryServiceDefinition,
  ResolveResponse,
  WatchChangesResponse,
  type ModuleWant,
  type PackageDescription,
  type Resolution,
} from '../../../proto/gen/core/hub/v1/registry.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import type { RequestOf, ResponseOf } from '../../rpc/service.ts';
import type { RecordedCall } from '../../rpc/testing/local-caller.ts';
import { isSignedBy, statementOf } from '../../base/ed25519.ts';
import { makePackage } from './testing/make-package.ts';
import { publish, type Info } from './testing/publish.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { TestHub, type AppCall } from '../testing/test-hub.ts';

const { NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT, ALREADY_EXISTS, FAILED_PRECONDITION } = StatusCode;
type Methods = (typeof RegistryServiceDefinition)['methods'];
type RegistryCall = <K extends keyof Methods>(
  method: K,
  request: Partial<RequestOf<Methods[K]>>,
) => Promise<ResponseOf<Methods[K]>>;

const ID = 'acme:motors';
const MOTOR = { api: 'rdk:component:motor', model: `${ID}:fast` };

describe.each(testStores)('RegistryService on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let token = '';
  let registry: RegistryCall;

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 5, 1));
    test = await TestHub.open(kind, clock);
    token = await test.logIn(test.first.ownerKey);
    owner = await test.asOwner();
    registry = registryAs(token);
    const { organizationId } = test.first;
    await owner('updateOrganizationNamespace', { organizationId, newPublicNamespace: 'acme' });
    expect(await owner('createModule', { organizationId, name: 'motors' })).toMatchObject({ moduleId: ID });
  });

  afterEach(() => test.end());

  const registryAs =
    (of: string): RegistryCall =>
    (method, request) =>
      test.call(RegistryServiceDefinition, method, request, { token: of });
  const put = (info: Info, bytes: Uint8Array = makePackage({ models: [MOTOR] })) => publish(test, token, info, bytes);
  const want = (version: string, more: Partial<ModuleWant> = {}): ModuleWant => ({
    moduleId: ID,
    version,
    platform: 'linux/amd64',
    platformTags: [],
    type: '',
    ...more,
  });
  const resolve = async (...wants: ModuleWant[]): Promise<Resolution[]> =>
    (await registry('resolve', { wants })).resolutions;
  /** Creates another organization, with a token of its owner. */
  const stranger = async (): Promise<{ id: string; token: string }> => {
    const { organization } = await owner('createOrganization', { name: 'Others' });
    const id = organization?.id ?? '';
    return { id, token: await tokenFor('organization_owner', id) };
  };
  const tokenFor = async (authorizationId: string, resourceId: string): Promise<string> => {
    const resourceType = authorizationId.split('_')[0] ?? '';
    const authorization = { authorizationType: 'role', authorizationId, resourceType, resourceId };
    const rest = { identityId: '', organizationId: '', identityType: '' };
    const { id, key } = await owner('createKey', { name: 'k', authorizations: [{ ...authorization, ...rest }] });
    return test.logIn({ id, secret: key });
  };
  /** A machine's own credential. */
  const partToken = async (): Promise<{ partId: string; token: string }> => {
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    const partId = parts[0]?.id ?? '';
    const { part } = await owner('createRobotPartSecret', { partId });
    const secret = part?.secret ?? '';
    return { partId, token: await test.logIn({ id: partId, secret, type: 'robot-secret' }) };
  };
  const download = async (
    version: string,
    offset = 0,
    of = token,
  ): Promise<{ about: PackageDescription; bytes: Buffer }> => {
    const request = { moduleId: ID, version, platform: 'linux/any', offset: BigInt(offset) };
    const call = test.start(RegistryServiceDefinition, 'download', request, { token: of });
    const status = await call.ended;
    if (status.code !== 0) throw Object.assign(new Error(status.message), { code: status.code });
    const [first, ...rest] = call.messages.map((bytes) => DownloadResponse.decode(bytes).part);
    if (first?.$case !== 'description') throw new Error('no description');
    const pieces = rest.map((part) => (part?.$case === 'bytes' ? part.value : new Uint8Array()));
    return { about: first.value, bytes: Buffer.concat(pieces) };
  };

  it('a published module is found, described, resolved and downloaded, signed by the hub', async () => {
    const bytes = makePackage(
      { models: [{ ...MOTOR, short_description: 'A fast one' }], description: 'Motors of ours' },
      [
        { name: 'README.md', content: '# Motors' },
        { name: 'data', content: randomBytes(700_000) },
      ],
    );
    await put({ version: '1.2.3' }, bytes);
    const [answer] = await resolve(want('1.*'));
    expect(answer).toMatchObject({ version: '1.2.3', platform: 'linux/any', reason: 'newest of 1.* for linux/amd64' });
    const { module, versions, readme } = await registry('describe', { moduleId: ID });
    expect(readme).toBe('# Motors');
    const sha256 = createHash('sha256').update(bytes).digest();
    expect(module).toMatchObject({
      moduleId: ID,
      visibility: RegistryModule_Visibility.PRIVATE,
      description: 'Motors of ours',
      latest: '1.2.3',
      platforms: ['linux/any'],
      models: [{ api: 'core:component:motor', model: `${ID}:fast`, description: 'A fast one' }],
      mayPublish: true,
      machines: 0,
    });
    expect(versions).toMatchObject([
      {
        version: '1.2.3',
        isPrerelease: false,
        publishedBy: 'owner',
        yanked: '',
        files: [{ platform: 'linux/any', bytes: BigInt(bytes.length), sha256: sha256.toString('hex'), signedBy: '' }],
      },
    ]);
    const { about, bytes: received } = await download('1.2.3');
    expect(received.equals(bytes)).toBe(true);
    expect(Buffer.from(about.sha256).equals(sha256)).toBe(true);
    const statement = statementOf({ moduleId: ID, version: '1.2.3', platform: 'linux/any', sha256 });
    expect(Buffer.from(about.statement).equals(Buffer.from(statement))).toBe(true);
    expect(isSignedBy(about.publicKey, about.statement, about.signature)).toBe(true);
    for (const offset of [1, 300_000, bytes.length]) {
      expect((await download('1.2.3', offset)).bytes.equals(bytes.subarray(offset))).toBe(true);
    }
    await expect(download('1.2.3', bytes.length + 1)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await expect(download('1.2.4')).rejects.toMatchObject({ code: NOT_FOUND });
    // It is still there after a restart of the hub.
    await test.close();
    test = await TestHub.open(kind, clock, test.place);
    expect((await download('1.2.3')).bytes.equals(bytes)).toBe(true);
  });

  it('a version for a platform is published once; another platform may follow', async () => {
    await put({ version: '1.0.0' });
    const again = put({ version: '1.0.0' }, makePackage({}, [{ name: 'other' }]));
    await expect(again).rejects.toMatchObject({
      code: ALREADY_EXISTS,
      message: `${ID} 1.0.0 for linux/any is published, and a version never changes: publish the next one.`,
    });
    await put({ version: '1.0.0', platform: 'linux/arm64' });
    expect((await resolve(want('1.0.0', { platform: 'linux/arm64' })))[0]?.platform).toBe('linux/arm64');
    // Packages with the same bytes share one file.
    expect((await readdir(path.join(test.folder, 'registry'))).filter((name) => name !== 'uploads')).toHaveLength(1);
  });

  it('of two simultaneous uploads of the same version one is published', async () => {
    const ended = await Promise.allSettled([put({ version: '1.0.0' }), put({ version: '1.0.0' }, makePackage())]);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: ALREADY_EXISTS } });
    expect((await download('1.0.0')).bytes.length).toBeGreaterThan(0);
    expect((await readdir(path.join(test.folder, 'registry'))).filter((name) => name !== 'uploads')).toHaveLength(1);
  });

  it.each<readonly [string, Info, RegExp]>([
    ['a channel as its version', { version: '1.2.*' }, /The version "1\.2\.\*" is not allowed: write MAJOR/],
    [
      'a platform that is none',
      { version: '1.0.0', platform: 'linux/mips' },
      /The platform "linux\/mips".*one of any, any\/amd64/,
    ],
    ['a tag that is none', { version: '1.0.0', platformTags: ['debian'] }, /The platform tag "debian"/],
    ['a module that is not there', { version: '1.0.0', moduleId: 'acme:none' }, /There is no module "acme:none" here/],
    ['an id that is none', { version: '1.0.0', moduleId: 'motors' }, /There is no module "motors" here/],
  ])('an upload with %s is refused', async (_what, info, message) => {
    await expect(put(info)).rejects.toMatchObject({ message: expect.stringMatching(message) as string });
  });

  it('a package is chosen only if the machine has all its tags', async () => {
    await put({ version: '1.0.0', platform: 'linux/amd64', platformTags: ['distro:debian', 'cuda:true'] });
    const [without, having] = await resolve(
      want('latest', { platformTags: ['distro:debian'] }),
      want('latest', { platformTags: ['distro:debian', 'os_version:12', 'cuda:true'] }),
    );
    expect(without).toMatchObject({ version: '', problem: expect.stringContaining('1.0.0 needs cuda:true') as string });
    expect(having).toMatchObject({ version: '1.0.0', platform: 'linux/amd64' });
  });

  it('only its organization, machines included, may see and run a private module', async () => {
    await put({ version: '1.0.0' });
    const other = registryAs((await stranger()).token);
    const machine = await partToken();
    const part = registryAs(machine.token);
    const operator = registryAs(await tokenFor('robot_operator', test.first.machineId));
    for (const call of [part, operator]) {
      expect((await call('resolve', { wants: [want('latest')] })).resolutions[0]?.version).toBe('1.0.0');
      expect((await call('describe', { moduleId: ID })).module?.mayPublish).toBe(false);
      await expect(call('yank', { moduleId: ID, version: '1.0.0', reason: 'x' })).rejects.toMatchObject({
        code: PERMISSION_DENIED,
      });
    }
    expect((await download('1.0.0', 0, machine.token)).bytes.length).toBeGreaterThan(0);
    await expect(publish(test, machine.token, { version: '1.0.1' }, makePackage())).rejects.toMatchObject({
      code: PERMISSION_DENIED,
    });
    const hidden = (await other('resolve', { wants: [want('latest'), want('latest', { moduleId: 'acme:none' })] }))
      .resolutions;
    expect(hidden.map(({ version }) => version)).toEqual(['', '']);
    expect(hidden[0]?.problem.replace(ID, '')).toBe(hidden[1]?.problem.replace('acme:none', ''));
    await expect(other('describe', { moduleId: ID })).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(other('yank', { moduleId: ID, version: '1.0.0', reason: 'x' })).rejects.toMatchObject({
      code: NOT_FOUND,
    });
    expect((await other('search', {})).total).toBe(0);
    expect((await part('search', {})).modules.map(({ moduleId }) => moduleId)).toEqual([ID]);
  });

  it('everybody may use a public module, or an unlisted one by its id; only the owner publishes', async () => {
    await put({ version: '1.0.0' });
    const other = await stranger();
    const call = registryAs(other.token);
    await owner('updateModule', { moduleId: ID, visibility: Visibility.PUBLIC_UNLISTED, description: 'M' });
    expect((await call('describe', { moduleId: ID })).module?.visibility).toBe(RegistryModule_Visibility.UNLISTED);
    expect((await call('search', { text: 'motors' })).total).toBe(0);
    await owner('updateModule', { moduleId: ID, visibility: Visibility.PUBLIC, description: 'M' });
    expect((await call('search', { text: 'motors' })).modules).toMatchObject([{ moduleId: ID, mayPublish: false }]);
    await expect(publish(test, other.token, { version: '1.0.1' }, makePackage())).rejects.toMatchObject({
      code: PERMISSION_DENIED,
      message: expect.stringContaining('"module.publish"') as string,
    });
    await expect(
      publish(test, other.token, { version: '1.0.1', moduleId: 'acme:x' }, makePackage()),
    ).rejects.toMatchObject({
      code: NOT_FOUND,
    });
  });

  it('no organization takes a namespace of another, one that modules have, or an organization’s id', async () => {
    const { organizationId } = test.first;
    const other = await stranger();
    const as = (method: 'updateOrganizationNamespace', newPublicNamespace: string) =>
      owner(method, { organizationId: other.id, newPublicNamespace });
    await expect(as('updateOrganizationNamespace', 'acme')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    // The organization gave the namespace up, but ids of modules still have it.
    await owner('updateOrganizationNamespace', { organizationId, newPublicNamespace: 'acme-two' });
    await expect(as('updateOrganizationNamespace', 'acme')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    await expect(as('updateOrganizationNamespace', organizationId)).rejects.toMatchObject({ code: ALREADY_EXISTS });
    const free = (publicNamespace: string, forId: string) =>
      owner('getOrganizationNamespaceAvailability', { publicNamespace, organizationId: forId });
    expect(await free('acme', other.id)).toEqual({ available: false });
    expect(await free('acme', organizationId)).toEqual({ available: true });
    const { moduleId } = await owner('createModule', { organizationId: other.id, name: 'motors' });
    expect(moduleId).toBe(`${other.id}:motors`);
    await expect(owner('createModule', { organizationId, name: 'Motors!' })).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
    });
    await expect(owner('deleteOrganization', { organizationId: other.id })).rejects.toMatchObject({
      code: FAILED_PRECONDITION,
      message: expect.stringContaining('1 module') as string,
    });
  });

  it('watchers get an answer at once when theirs changes, and not otherwise', async () => {
    for (const version of ['1.2.3', '1.3.0']) await put({ version });
    const { token: machine } = await partToken();
    const watch = new Watch(
      test.start(
        RegistryServiceDefinition,
        'watchResolutions',
        { wants: [want('1.2.*'), want('1.2.3')] },
        { token: machine },
      ),
    );
    expect(await watch.next()).toEqual(['1.2.3', '1.2.3']);
    // In another channel: the answer stays the same.
    await put({ version: '1.3.1' });
    await put({ version: '1.2.4' });
    expect(await watch.next()).toEqual(['1.2.4', '1.2.3']);
    // For another platform: only the reason changes.
    await put({ version: '1.2.9', platform: 'darwin/arm64' });
    expect(await watch.next()).toEqual(['1.2.4', '1.2.3']);
    await registry('yank', { moduleId: ID, version: '1.2.4', reason: 'burns' });
    expect(await watch.next()).toEqual(['1.2.3', '1.2.3']);
    await registry('yank', { moduleId: ID, version: '1.2.4', reason: '', isUndone: true });
    expect(await watch.next()).toEqual(['1.2.4', '1.2.3']);
    watch.stop();
  });

  it('a watcher of another organization loses a module that becomes private, and gets it again', async () => {
    await put({ version: '1.0.0' });
    await owner('updateModule', { moduleId: ID, visibility: Visibility.PUBLIC });
    const other = await stranger();
    const watch = new Watch(
      test.start(RegistryServiceDefinition, 'watchResolutions', { wants: [want('latest')] }, { token: other.token }),
    );
    expect(await watch.next()).toEqual(['1.0.0']);
    await owner('updateModule', { moduleId: ID, visibility: Visibility.PRIVATE });
    expect(await watch.next()).toEqual(['']);
    await owner('updateModule', { moduleId: ID, visibility: Visibility.PUBLIC });
    expect(await watch.next()).toEqual(['1.0.0']);
    watch.stop();
  });

  it('yanking needs a reason, keeps exact versions working, and is reported to windows', async () => {
    const pages = test.start(RegistryServiceDefinition, 'watchChanges', {}, { token });
    await put({ version: '1.0.0' });
    await put({ version: '1.0.1' });
    const yank = (version: string, reason: string) => registry('yank', { moduleId: ID, version, reason });
    await expect(yank('1.0.1', '  ')).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await expect(yank('1.0.2', 'x')).rejects.toMatchObject({ code: NOT_FOUND });
    await yank('1.0.1', 'burns motors');
    const [latest, exact] = await resolve(want('latest'), want('1.0.1'));
    expect(latest).toMatchObject({ version: '1.0.0', reason: 'newest release for linux/amd64; 1.0.1 is yanked' });
    expect(exact).toMatchObject({ version: '1.0.1', reason: 'exactly 1.0.1, although it is yanked: burns motors' });
    expect((await download('1.0.1')).bytes.length).toBeGreaterThan(0);
    expect((await registry('describe', { moduleId: ID })).module?.latest).toBe('1.0.0');
    expect(pages.messages.map((bytes) => WatchChangesResponse.decode(bytes).moduleId)).toEqual([ID, ID, ID]);
    pages.sink.cancel('enough');
  });

  it('search ranks the id first, then the name, its beginning, and the rest; it has pages and filters', async () => {
    const { organizationId } = test.first;
    const names = ['arm', 'arm-extra', 'robot-arm', 'gripper'];
    for (const name of names) await owner('createModule', { organizationId, name });
    const search = async (request: Partial<RequestOf<Methods['search']>>): Promise<string[]> =>
      (await registry('search', request)).modules.map(({ name }) => name);
    await owner('updateModule', { moduleId: 'acme:gripper', description: 'Holds what an ARM_100% moves' });
    expect(await search({ text: 'arm' })).toEqual(['arm', 'arm-extra', 'robot-arm', 'gripper']);
    expect(await search({ text: 'acme:robot-arm' })).toEqual(['robot-arm']);
    expect(await search({ text: 'moves holds' })).toEqual(['gripper']);
    expect(await search({ text: 'arm_1' })).toEqual(['gripper']);
    expect(await search({ text: '%' })).toEqual(['gripper']);
    expect(await search({})).toEqual(['arm', 'arm-extra', 'gripper', 'motors', 'robot-arm']);
    expect(await search({ namespaces: ['other'] })).toEqual([]);
    await put({ version: '1.0.0' });
    expect(await search({ api: 'rdk:component:motor' })).toEqual(['motors']);
    expect(await search({ text: 'fast' })).toEqual(['motors']);
    expect(await search({ api: 'core:component:mot' })).toEqual([]);
    await expect(search({ api: 'motor' })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    const first = await registry('search', { limit: 2 });
    expect([first.modules.length, first.total]).toEqual([2, 5]);
    const second = await registry('search', { limit: 2, pageToken: first.nextPageToken });
    const third = await registry('search', { limit: 2, pageToken: second.nextPageToken });
    const all = [first, second, third].flatMap(({ modules }) => modules.map(({ name }) => name));
    expect(all).toEqual(['arm', 'arm-extra', 'gripper', 'motors', 'robot-arm']);
    expect(third.nextPageToken).toBe('');
  });

  it('counts the machines whose configuration names it now', async () => {
    const { partId } = await partToken();
    const save = (modules: readonly object[]) =>
      owner('updateRobotPart', { id: partId, name: '', robotConfigJson: JSON.stringify({ modules }) });
    const machines = async (): Promise<number | undefined> =>
      (await registry('describe', { moduleId: ID })).module?.machines;
    expect(await machines()).toBe(0);
    await save([
      { name: 'a', module_id: ID, version: 'latest' },
      { name: 'b', module_id: ID },
    ]);
    expect(await machines()).toBe(1);
    await expect(owner('deleteRegistryItem', { itemId: ID })).rejects.toMatchObject({
      code: FAILED_PRECONDITION,
      message: expect.stringContaining('1 machine.') as string,
    });
    await save([]);
    expect(await machines()).toBe(0);
  });

  it('deleting a module removes its versions and packages, and only a module without versions is renamed', async () => {
    await put({ version: '1.0.0' });
    await expect(owner('renameRegistryItem', { itemId: ID, newName: 'other' })).rejects.toMatchObject({
      code: FAILED_PRECONDITION,
      message: expect.stringContaining('signatures') as string,
    });
    await owner('deleteRegistryItem', { itemId: ID });
    await expect(registry('describe', { moduleId: ID })).rejects.toMatchObject({ code: NOT_FOUND });
    expect((await readdir(path.join(test.folder, 'registry'))).filter((name) => name !== 'uploads')).toEqual([]);
    await owner('createModule', { organizationId: test.first.organizationId, name: 'motors' });
    const { item } = await owner('renameRegistryItem', { itemId: ID, newName: 'engines' });
    expect(item?.itemId).toBe('acme:engines');
    expect((await resolve(want('latest')))[0]?.problem).toContain('There is no module "acme:motors"');
  });

  it('a download waits for a slow reader, and closes the file when the reader leaves', async () => {
    await put({ version: '1.0.0' }, makePackage({}, [{ name: 'data', content: randomBytes(3_000_000) }]));
    let go: () => void = () => undefined;
    const request = { moduleId: ID, version: '1.0.0', platform: 'linux/any', offset: 0n };
    const call = test.start(RegistryServiceDefinition, 'download', request, { token });
    call.pressure = new Promise((resolve) => (go = resolve));
    await reached(call, 1);
    // The reader takes nothing more, so the hub reads nothing more.
    await registry('describe', { moduleId: ID });
    expect(call.messages).toHaveLength(1);
    call.sink.cancel('gone');
    go();
    expect((await call.ended).code).toBe(StatusCode.CANCELLED);
  });
});

/** Settles when this number of messages has come. */
async function reached(call: RecordedCall, count: number): Promise<void> {
  while (call.messages.length < count && call.status === undefined) await new Promise(setImmediate);
}

/** The versions in the answers to a watcher, one answer after the other. */
class Watch {
  readonly #call: RecordedCall;
  #read = 0;

  constructor(call: RecordedCall) {
    this.#call = call;
  }

  async next(): Promise<string[]> {
    await reached(this.#call, this.#read + 1);
    const bytes = this.#call.messages[this.#read++];
    if (bytes === undefined) throw new Error(`the watch ended: ${this.#call.status?.message ?? ''}`);
    return ResolveResponse.decode(bytes).resolutions.map(({ version }) => version);
  }

  stop(): void {
    this.#call.sink.cancel('enough');
  }
}
