/**
 * Polls until a condition holds. For conditions of another process that reports no changes.
 * @param everyMs time between an answer and the next question
 * @throws if it does not hold within `timeoutMs`
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 10,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
