import type { PackageName, StoredPackageType } from './packages.ts';

/** Path prefix under which the port of a hub serves packages. */
export const PACKAGE_FILES = '/packages/';

const types: readonly StoredPackageType[] = ['ml_model', 'archive', 'ml_training'];

type PackageFile = PackageName & { readonly version: string };

/** `/packages/<organization id>/<type>/<name>/<version>.tar.gz` */
export function filePath({ organizationId, type, name, version }: PackageFile): string {
  return `${PACKAGE_FILES}${[organizationId, type, name, version].map(encodeURIComponent).join('/')}.tar.gz`;
}

/** The package that a path names; undefined for a path that {@link filePath} does not produce. */
export function readFilePath(path: string): PackageFile | undefined {
  const parts = /^\/packages\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)\.tar\.gz$/.exec(path)?.slice(1);
  if (parts === undefined) return undefined;
  let organizationId, type, name, version: string | undefined;
  try {
    [organizationId, type, name, version] = parts.map(decodeURIComponent);
  } catch {
    return undefined; // malformed percent-encoding
  }
  const known = types.find((one) => one === type);
  if (known === undefined || organizationId === undefined || name === undefined || version === undefined)
    return undefined;
  return { organizationId, type: known, name, version };
}
