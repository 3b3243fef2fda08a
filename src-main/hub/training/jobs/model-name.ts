const LONGEST = 60;
const USUAL = 'model';

/** A name for a model of a dataset: letters without their marks, digits and "-". Anything else in it is left out. */
export function modelNameFrom(datasetName: string): string {
  const words = datasetName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.join('-').slice(0, LONGEST).replace(/-$/, '') || USUAL;
}
