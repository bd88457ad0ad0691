/** What a page says, for where there is no page: as one text. */
export function oneText({ headline, sentence }: { readonly headline?: string; readonly sentence: string }): string {
  return headline === undefined ? sentence : `${headline}. ${sentence}`
}
