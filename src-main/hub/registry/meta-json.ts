import type { ValidateFunction } from 'ajv/dist/2020.js';
import { moduleMetaSchema, type ModuleMeta } from '../../../proto/config/module-meta.ts';
import { badPackage } from './tar-entries.ts';

let validator: Promise<ValidateFunction> | undefined;

async function loadValidator(): Promise<ValidateFunction> {
  // A hub that no package comes to need not read it.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return new Ajv2020({ strict: false, verbose: true }).compile(moduleMetaSchema);
}

/**
 * Reads `meta.json` of a package.
 * @throws {ArmatureError} `registry.bad_package` naming what is wrong
 */
export async function readMeta(bytes: Buffer): Promise<ModuleMeta> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw badPackage(`its meta.json is not JSON: ${(thrown as Error).message}`);
  }
  const validate = await (validator ??= loadValidator());
  if (validate(value)) return value as ModuleMeta;
  const [error] = validate.errors ?? [];
  const where = error?.instancePath === '' ? 'it' : `"${error?.instancePath ?? ''}"`;
  const found = error?.keyword === 'required' ? '' : ` (found ${(JSON.stringify(error?.data) ?? '').slice(0, 80)})`;
  throw badPackage(`in its meta.json ${where} ${error?.message ?? 'is wrong'}${found}`);
}
