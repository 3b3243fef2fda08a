import { RegistryServiceDefinition } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { homeFolder } from '../../home.ts';
import { readCommandLine, UsageError, type ModuleIo } from '../module-io.ts';
import { organizationOf } from './organization.ts';
import { PublisherKey } from './publisher-key.ts';
import { hubOptions, withHub } from './remote-caller.ts';

/** `armature module key create|show|register`: the key that signs packages. */
export async function keyCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const line = readCommandLine(args, { ...hubOptions, force: 'boolean', name: 'string', json: 'boolean' }, 1);
  const home = homeFolder(io.env);
  const tell = (key: PublisherKey): void => {
    const publicKey = key.publicKey.toString('base64');
    if (line.flag('json')) {
      io.stdout(`${JSON.stringify({ id: key.id, public_key: publicKey, file: key.file }, null, 2)}\n`);
    } else io.stdout(`key ${key.id}\npublic key ${publicKey}\nfile ${key.file}\n`);
  };
  switch (line.positionals[0]) {
    case 'create':
      tell(await PublisherKey.create(home, line.flag('force')));
      return 0;
    case 'show':
      tell(await existing(home));
      return 0;
    case 'register': {
      const key = await existing(home);
      await withHub(line, io, async (hub) => {
        const { id: organizationId, name } = await organizationOf(hub, line.text('organization'), undefined);
        const service = RegistryServiceDefinition;
        const { keys } = await hub.call(service, 'listPublisherKeys', { organizationId });
        const accepted = new Set(keys.filter(({ revokedAt }) => revokedAt === undefined).map(({ id }) => id));
        if (accepted.has(key.id)) {
          io.stdout(`the key ${key.id} is accepted by ${name} already\n`);
          return;
        }
        const endorsement = await key.endorsement(home, accepted);
        const keyName = line.text('name') ?? `key ${key.id}`;
        await hub.call(service, 'addPublisherKey', {
          organizationId,
          name: keyName,
          publicKey: key.publicKey,
          endorsement,
        });
        const by = endorsement === undefined ? '' : ', endorsed by the key before it';
        io.stdout(`the key ${key.id} signs for ${name} from now on${by}\n`);
      });
      return 0;
    }
    default:
      throw new UsageError('key takes create, show or register.');
  }
}

async function existing(home: string): Promise<PublisherKey> {
  const key = await PublisherKey.load(home);
  if (key !== undefined) return key;
  throw new ArmatureError(
    'call.failed_precondition',
    `There is no key in ${home}. "armature module key create" makes one.`,
  );
}
