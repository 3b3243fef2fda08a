/**
 * Whether a package for one of `platforms` runs on a computer. `linux/any`, `any/arm64` and `any` match several
 * platforms; a variant such as `linux/arm32v7l` matches only itself.
 */
export function runsOn(platforms: readonly string[], computer: string): boolean {
  const [system = '', processor = ''] = computer.split('/');
  const fitting = new Set([computer, `${system}/any`, `any/${processor}`, 'any', 'any/any']);
  return platforms.some((platform) => fitting.has(platform));
}
