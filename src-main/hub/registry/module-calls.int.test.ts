import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition, GetModuleResponse, Visibility } from '../../../proto/gen/core/app/v1/app.ts';
import { PackageType } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { callOnce } from '../../rpc/testing/local-caller.ts';
import { makePackage } from './testing/make-package.ts';
import { publish } from './testing/publish.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { connectionFrom, TestHub, type AppCall } from '../testing/test-hub.ts';

const { INVALID_ARGUMENT, ALREADY_EXISTS } = StatusCode;
const ID = 'acme:motors';
const MODEL = { api: 'rdk:component:motor', model: `${ID}:fast`, supportedHardware: [] };

describe.each(testStores)('modules in AppService on $name', (kind) => {
  let test: TestHub;
  let owner: AppCall;
  let token = '';
  let organizationId = '';

  beforeEach(async () => {
    test = await TestHub.open(kind, new ManualClock(Date.UTC(2026, 5, 1)));
    owner = await test.asOwner();
    token = await test.logIn(test.first.ownerKey);
    ({ organizationId } = test.first);
    await owner('updateOrganizationNamespace', { organizationId, newPublicNamespace: 'acme' });
    await owner('createModule', { organizationId, name: 'motors' });
  });

  afterEach(() => test.end());

  it('a module has the texts of its owner, and its versions those of their packages', async () => {
    const update = {
      moduleId: ID,
      visibility: Visibility.PUBLIC,
      url: 'https://example.com',
      description: 'Motors',
      entrypoint: 'run',
    };
    const models = [{ ...MODEL, description: 'Fast', markdownDocumentation: '# Fast' }];
    expect(await owner('updateModule', { ...update, models, markdownDescription: '# All' })).toEqual({
      url: `/registry/${ID}`,
    });
    await publish(
      test,
      token,
      { version: '1.0.0' },
      makePackage({ description: 'Other words' }, [{ name: 'README.md', content: '# One' }]),
    );
    await publish(test, token, { version: '1.1.0-rc.1', platform: 'linux/arm64' }, makePackage());
    const { module } = await owner('getModule', { moduleId: ID, includeMarkdownDocumentation: true });
    expect(module).toMatchObject({
      moduleId: ID,
      name: 'motors',
      publicNamespace: 'acme',
      organizationId,
      visibility: Visibility.PUBLIC,
      description: 'Motors',
      url: 'https://example.com',
      // From the newest release.
      entrypoint: 'bin/run.sh',
      markdownDescription: '# All',
      models: [
        { api: 'core:component:motor', model: `${ID}:fast`, description: 'Fast', markdownDocumentation: '# Fast' },
      ],
      versions: [
        { version: '1.1.0-rc.1', files: [{ platform: 'linux/arm64' }] },
        { version: '1.0.0', files: [{ platform: 'linux/any' }], markdownDescription: '# One' },
      ],
    });
    const { module: brief } = await owner('getModule', { moduleId: ID });
    expect([brief?.markdownDescription, brief?.models[0]?.markdownDocumentation]).toEqual([undefined, undefined]);
    // Fields that an update leaves out stay as they are.
    await owner('updateModule', { ...update, visibility: Visibility.UNSPECIFIED, models });
    expect((await owner('getModule', { moduleId: ID })).module?.visibility).toBe(Visibility.PUBLIC);
  });

  it('clients of the public ecosystem get APIs in their spelling', async () => {
    await publish(test, token, { version: '1.0.0' }, makePackage({ models: [MODEL] }));
    const { getModule } = AppServiceDefinition.methods;
    const request = encodeMessage(getModule.requestType, { moduleId: ID, includeMarkdownDocumentation: undefined });
    const call = callOnce(test.router, '/viam.app.v1.AppService/GetModule', request, {
      connection: connectionFrom('127.0.0.1'),
      metadata: { authorization: `Bearer ${token}` },
    });
    expect((await call.ended).code).toBe(0);
    expect(GetModuleResponse.decode(call.messages[0] as Uint8Array).module?.models[0]?.api).toBe('rdk:component:motor');
  });

  it('registry items are the same modules, other kinds are refused by name', async () => {
    const type = PackageType.MODULE;
    await owner('createRegistryItem', { organizationId, name: 'arm', type });
    await expect(
      owner('createRegistryItem', { organizationId, name: 'net', type: PackageType.ML_MODEL }),
    ).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringContaining('keeps modules only') as string,
    });
    await expect(owner('createModule', { organizationId, name: 'arm' })).rejects.toMatchObject({
      code: ALREADY_EXISTS,
    });
    await publish(test, token, { version: '1.0.0' }, makePackage({ models: [MODEL] }));
    const metadata = { $case: 'updateModuleMetadata' as const, value: { models: [], entrypoint: 'x', apps: [] } };
    await owner('updateRegistryItem', {
      itemId: 'acme:arm',
      type,
      description: 'Arms',
      visibility: Visibility.PUBLIC,
      metadata,
    });
    const list = async (request: Parameters<typeof owner<'listRegistryItems'>>[1]): Promise<string[]> =>
      (await owner('listRegistryItems', request)).items.map(({ itemId }) => itemId);
    expect(await list({})).toEqual(['acme:arm', ID]);
    expect(await list({ types: [PackageType.ML_MODEL] })).toEqual([]);
    expect(await list({ visibilities: [Visibility.PUBLIC] })).toEqual(['acme:arm']);
    expect(await list({ platforms: ['linux/any'] })).toEqual([ID]);
    expect(await list({ searchTerm: 'arms' })).toEqual(['acme:arm']);
    const { item } = await owner('getRegistryItem', { itemId: ID });
    expect(item).toMatchObject({
      itemId: ID,
      type,
      metadata: { $case: 'moduleMetadata', value: { entrypoint: 'bin/run.sh', versions: [{ version: '1.0.0' }] } },
    });
    expect((await owner('listModules', { organizationId })).modules.map(({ moduleId }) => moduleId)).toEqual([
      'acme:arm',
      ID,
    ]);
  });

  it('deprecated modules are not listed, and deprecated modules and versions have the reason', async () => {
    await publish(test, token, { version: '1.0.0' }, makePackage());
    await owner('deprecateRegistryItem', { itemId: ID, message: 'use acme:engines' });
    expect((await owner('listRegistryItems', {})).items).toEqual([]);
    expect((await owner('listRegistryItems', { showOwnedDeprecated: true })).items).toHaveLength(1);
    expect((await owner('getModule', { moduleId: ID })).module?.deprecatedStatus?.message).toBe('use acme:engines');
    await owner('undeprecateRegistryItem', { itemId: ID });
    expect((await owner('listRegistryItems', {})).items).toHaveLength(1);
    await owner('deprecateRegistryItemVersion', { itemId: ID, version: '1.0.0', message: '' });
    const statusOf = async () => (await owner('getModule', { moduleId: ID })).module?.versions[0]?.deprecatedStatus;
    expect((await statusOf())?.message).toBe('deprecated');
    await owner('undeprecateRegistryItemVersion', { itemId: ID, version: '1.0.0' });
    expect(await statusOf()).toBeUndefined();
  });

  it('a module without versions can be transferred to an organization where the caller may publish', async () => {
    const { organization } = await owner('createOrganization', { name: 'Others' });
    const other = organization?.id ?? '';
    await owner('updateOrganizationNamespace', { organizationId: other, newPublicNamespace: 'others' });
    await owner('transferRegistryItem', { itemId: ID, newPublicNamespace: 'others' });
    expect((await owner('getModule', { moduleId: 'others:motors' })).module?.organizationId).toBe(other);
    await expect(owner('getModule', { moduleId: ID })).rejects.toMatchObject({ code: StatusCode.NOT_FOUND });
  });

  it.each([
    [{ ...MODEL, model: 'rdk:builtin:gpio' }, /"rdk:builtin:gpio" is none that a module can have/],
    [{ ...MODEL, api: 'motor' }, /the API "motor"/],
  ])('models that are none, or built in, are refused: %j', async (model, message) => {
    const request = { moduleId: ID, visibility: Visibility.PRIVATE, description: '', entrypoint: '', models: [model] };
    await expect(owner('updateModule', request)).rejects.toMatchObject({
      message: expect.stringMatching(message) as string,
    });
  });
});
