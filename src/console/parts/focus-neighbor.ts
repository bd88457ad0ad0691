const keys = ['ArrowUp', 'ArrowDown', 'Home', 'End']

/** Moves the focus between the links of the rows of a list, as far as the list goes. */
export function focusNeighbor(event: KeyboardEvent, list: Element | null): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('.row-link') ?? [])]
  const focusedIndex = links.findIndex((link) => link === document.activeElement)
  if (focusedIndex === -1 || !keys.includes(event.key)) return
  event.preventDefault()
  const last = links.length - 1
  const next = {
    ArrowUp: Math.max(0, focusedIndex - 1),
    ArrowDown: Math.min(last, focusedIndex + 1),
    Home: 0,
    End: last,
  }
  links[next[event.key as keyof typeof next]]?.focus()
}
