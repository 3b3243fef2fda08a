const MAX_LENGTH = 60;
const DEFAULT_NAME = 'model';

/** A model name from the name of a dataset: lower-case letters without accents, digits and "-". */
export function modelNameFrom(datasetName: string): string {
  const words = datasetName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.join('-').slice(0, MAX_LENGTH).replace(/-$/, '') || DEFAULT_NAME;
}
