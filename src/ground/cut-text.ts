/** The first characters of a text, counted as code points: a pair of surrogates is never divided. */
export const cutText = (text: string, length: number): string => Array.from(text).slice(0, length).join('')
