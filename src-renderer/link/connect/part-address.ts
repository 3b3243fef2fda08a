/** The part of the fleet that a page's address names; '' for the machine that the page came from. */
export function partOfAddress(pageUrl: string): string {
  return new URL(pageUrl).searchParams.get('part') ?? '';
}

/** The page's address for a part and a screen. The token is not in it: the tab keeps it. */
export function addressOnPart(pageUrl: string, partId: string, screen: string): string {
  const url = new URL(pageUrl);
  if (partId === '') url.searchParams.delete('part');
  else url.searchParams.set('part', partId);
  url.hash = `/${screen}`;
  return url.href;
}
