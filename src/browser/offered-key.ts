/** The key of this browser as a field of a form, if `browser-key-page.ts` has it by now. */
export function browserKey(): { readonly browserKey?: string } {
  const key = document.querySelector('main')?.dataset['browserKey']
  return key === undefined ? {} : { browserKey: key }
}
