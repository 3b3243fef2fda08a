import type { CameraDistortion, CameraIntrinsics } from '../../apis/camera.ts';
import type { distortionSchema, intrinsicsSchema } from '../../../proto/config/models/lens.ts';
import type { ValueOf } from '../../../proto/config/models/model-schema.ts';

/** The configured properties of a camera's lens. */
export interface LensAttributes {
  readonly intrinsic_parameters?: ValueOf<typeof intrinsicsSchema>;
  readonly distortion_parameters?: ValueOf<typeof distortionSchema>;
}

/** The lens as properties of a camera; values missing from a given model are 0. */
export function lensOf({ intrinsic_parameters: lens, distortion_parameters: bend }: LensAttributes): {
  intrinsics?: CameraIntrinsics;
  distortion?: CameraDistortion;
} {
  return {
    ...(lens !== undefined && {
      intrinsics: {
        widthPx: lens.width_px ?? 0,
        heightPx: lens.height_px ?? 0,
        focalXPx: lens.fx ?? 0,
        focalYPx: lens.fy ?? 0,
        centerXPx: lens.ppx ?? 0,
        centerYPx: lens.ppy ?? 0,
      },
    }),
    ...(bend !== undefined && {
      distortion: {
        model: 'brown_conrady',
        parameters: [bend.rk1 ?? 0, bend.rk2 ?? 0, bend.rk3 ?? 0, bend.tp1 ?? 0, bend.tp2 ?? 0],
      },
    }),
  };
}
