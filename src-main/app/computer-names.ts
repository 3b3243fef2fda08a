/** The computer's own name, or that of a file, as a machine may be called. */
export function machineNameOf(computer: string): string {
  const name = computer
    .split('.', 1)[0]
    ?.replace(/[^a-zA-Z0-9-]/g, '-')
    .replace(/^-+/, '')
    .slice(0, 50);
  return name === undefined || name === '' ? 'machine' : name;
}
