/** The part of the fleet that a page's address names; '' for the machine that the page came from. */
export function partOfAddress(pageUrl: string): string {
  return new URL(pageUrl).searchParams.get('part') ?? '';
}

/** Address of this page on another part, at a screen: the token stays with the tab. */
export function addressOnPart(pageUrl: string, partId: string, screen: string): string {
  const url = new URL(pageUrl);
  if (partId === '') url.searchParams.delete('part');
  else url.searchParams.set('part', partId);
  url.hash = `/${screen}`;
  return url.href;
}
