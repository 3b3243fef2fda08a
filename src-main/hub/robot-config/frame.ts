import type { Frame, Orientation } from '../../../proto/gen/core/app/v1/robot.ts';
import type { Geometry } from '../../../proto/gen/core/common/v1/common.ts';
import type { LooseObject } from '../../base/loose-object.ts';

/** The frame of a component; our own machines do not use it yet. */
export function frameOf(frame: LooseObject): Frame {
  return {
    parent: frame.text('parent'),
    translation: frame.has('translation') ? vectorOf(frame.object('translation')) : undefined,
    orientation: frame.has('orientation') ? orientationOf(frame.object('orientation')) : undefined,
    geometry: frame.has('geometry') ? geometryOf(frame.object('geometry')) : undefined,
  };
}

const vectorOf = (of: LooseObject) => ({ x: of.number('x'), y: of.number('y'), z: of.number('z') });
const axisOf = (of: LooseObject) => ({ ...vectorOf(of), theta: of.number('th') });

function orientationOf(orientation: LooseObject): Orientation {
  const value = orientation.object('value');
  switch (orientation.text('type')) {
    case 'ov_degrees':
      return { type: { $case: 'vectorDegrees', value: axisOf(value) } };
    case 'ov_radians':
      return { type: { $case: 'vectorRadians', value: axisOf(value) } };
    case 'euler_angles':
      return {
        type: {
          $case: 'eulerAngles',
          value: { roll: value.number('roll'), pitch: value.number('pitch'), yaw: value.number('yaw') },
        },
      };
    case 'axis_angles':
      return { type: { $case: 'axisAngles', value: axisOf(value) } };
    case 'quaternion':
      return { type: { $case: 'quaternion', value: { ...vectorOf(value), w: value.number('w') } } };
    default:
      return { type: { $case: 'noOrientation', value: {} } };
  }
}

/** A shape and the position of its center. */
function geometryOf(geometry: LooseObject): Geometry {
  const { x, y, z } = vectorOf(geometry.object('translation'));
  return {
    label: geometry.text('label'),
    // Rotated shapes need frame arithmetic, which is not implemented yet.
    center: { x, y, z, oX: 0, oY: 0, oZ: 1, theta: 0 },
    geometryType: shapeOf(geometry),
  };
}

function shapeOf(geometry: LooseObject): Geometry['geometryType'] {
  const radiusMm = geometry.number('r');
  switch (geometry.text('type')) {
    case 'box':
      return { $case: 'box', value: { dimsMm: vectorOf(geometry) } };
    case 'sphere':
      return { $case: 'sphere', value: { radiusMm } };
    case 'point':
      return { $case: 'sphere', value: { radiusMm: 0 } };
    case 'capsule':
      return { $case: 'capsule', value: { radiusMm, lengthMm: geometry.number('l') } };
    default:
      return undefined;
  }
}
