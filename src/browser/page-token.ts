/** The token of this page: with it, the server refuses what a page does that was left over from another user. */
export const pageToken = (): string => document.querySelector<HTMLElement>('main[data-token]')?.dataset['token'] ?? ''
