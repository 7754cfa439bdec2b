/** What a person did to the page and must not lose when it is swapped. */

/** Whether a swap would disturb: text is being selected, or typed into a field of the part that is swapped. */
export function isInUse(part: Element, active: Element | null, selection: Selection | null): boolean {
  if (active !== null && part.contains(active) && active.matches('input:not([type="hidden"]), textarea, select')) return true;
  if (selection === null || selection.isCollapsed || selection.anchorNode === null) return false;
  return part.contains(selection.anchorNode);
}

/** Ids of the details that are open. */
export function openDetails(part: ParentNode): string[] {
  return [...part.querySelectorAll<HTMLDetailsElement>('details[id][open]')].map((details) => details.id);
}

/** Opens them again. */
export function reopen(part: ParentNode, ids: readonly string[]): void {
  for (const details of part.querySelectorAll<HTMLDetailsElement>('details[id]')) {
    if (ids.includes(details.id)) details.open = true;
  }
}
