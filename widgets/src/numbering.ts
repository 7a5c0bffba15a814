// Which view of a page this is, so that each has a name of its own.

/** 1, 2, ... over all views of a page; each of them loads this module anew, so the page counts. */
export function nextNumber(): number {
  const page = window as unknown as { autodidactViews?: number };
  page.autodidactViews = (page.autodidactViews ?? 0) + 1;
  return page.autodidactViews;
}
