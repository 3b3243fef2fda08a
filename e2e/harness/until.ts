/**
 * Waits until a condition holds, asking again as soon as the last answer is in.
 * For conditions of another process that announces nothing.
 * @param everyMs time between an answer and the next question
 * @throws when it does not hold within `timeoutMs`
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
