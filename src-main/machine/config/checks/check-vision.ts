import type { ResourceEntry } from '../reading/read-resource.ts';
import { findsThings } from '../../models/camera-transform/attributes.ts';

/** Warns about vision services whose default camera draws results of other vision services into its pictures. */
export function checkVision(entries: readonly ResourceEntry[]): void {
  const drawing = new Set(
    entries.flatMap(({ config: { api, model, name, attributes } }) =>
      api === 'core:component:camera' && model === 'core:builtin:transform' && findsThings(attributes) ? [name] : [],
    ),
  );
  for (const { config, label, sink, attributesPointer } of entries) {
    if (config.api !== 'core:service:vision' || config.model !== 'core:builtin:mlmodel') continue;
    const { camera_name: camera } = config.attributes;
    if (typeof camera !== 'string' || !drawing.has(camera)) continue;
    sink.report({
      pointer: `${attributesPointer}/camera_name`,
      severity: 'error',
      code: 'attribute.not_allowed',
      message: `${label}: camera "${camera}" draws what was found into its pictures. Name the camera behind it.`,
      found: camera,
    });
  }
}
