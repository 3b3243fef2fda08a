import { ArmatureError } from '../../base/errors.ts';
import type { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';

/** The root of all frames. */
const WORLD = 'world';

/** The identity: no translation, and no rotation, with the axis along z as in the public SDKs. */
const HERE = { x: 0, y: 0, z: 0, oX: 0, oY: 0, oZ: 1, theta: 0 } as const;

type FrameHandlers = Required<
  Pick<
    ServiceHandlers<typeof RobotServiceDefinition>,
    'frameSystemConfig' | 'getPose' | 'transformPose' | 'transformPCD'
  >
>;

/**
 * The frame system of a machine whose components cannot have frames yet ("frame" is kept in the file, with a warning):
 * every component is at the world's origin. The public server fails here instead (frame with name "m" not in frame
 * system), which ends programs that ask before they look. Frames in a call itself are not computed.
 * @param components names of the existing components
 */
export function frameHandlers(components: () => Iterable<string>): FrameHandlers {
  /** The name of the frame; throws `call.not_found` if there is none. */
  const frame = (name: string): string => {
    if (name === '' || name === WORLD) return WORLD;
    for (const known of components()) if (known === name) return name;
    throw new ArmatureError(
      'call.not_found',
      `There is no frame "${name}": it is neither "${WORLD}" nor a component of this machine.`,
      { details: { found: name } },
    );
  };
  const refuseOwnFrames = (transforms: readonly unknown[]): void => {
    if (transforms.length === 0) return;
    throw new ArmatureError(
      'call.unimplemented',
      `This machine does not work out frames yet, so it cannot add the ${transforms.length} of supplemental_transforms; leave them out.`,
    );
  };
  return {
    frameSystemConfig({ supplementalTransforms }) {
      refuseOwnFrames(supplementalTransforms);
      return { frameSystemConfigs: [] };
    },

    getPose({ componentName, destinationFrame, supplementalTransforms }) {
      refuseOwnFrames(supplementalTransforms);
      frame(componentName);
      return { pose: { referenceFrame: frame(destinationFrame), pose: HERE } };
    },

    transformPose({ source, destination, supplementalTransforms }) {
      refuseOwnFrames(supplementalTransforms);
      frame(source?.referenceFrame ?? '');
      return { pose: { referenceFrame: frame(destination), pose: source?.pose ?? HERE } };
    },

    transformPCD({ pointCloudPcd, source, destination }) {
      frame(source);
      frame(destination);
      return { pointCloudPcd };
    },
  };
}
