/** The code of the error that the call throws, '' where it throws none. */
export function codeOf(call: () => unknown): string {
  try {
    call();
    return '';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
