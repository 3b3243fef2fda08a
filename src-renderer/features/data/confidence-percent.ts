/** A confidence of 100, rounded; 100 is quite sure, and nothing less. Models work with numbers that are a little off. */
export function confidencePercent(confidence: number): number {
  const percent = Math.round(confidence * 100);
  return percent === 100 && confidence < 1 ? 99 : percent;
}
