/** Downloads a text as a file. */
export function downloadText(name: string, text: string): void {
  downloadBlob(name, new Blob([text], { type: 'text/plain' }));
}

/** Downloads bytes as a file. */
export function downloadBlob(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once, because the browser reads it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
