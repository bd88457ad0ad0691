import { useState } from 'preact/hooks'

import { useWords } from './words/speech.tsx'

/** Copies a text and confirms it. Where the browser forbids copying, the text is still readable beside it. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const words = useWords()
  const [copied, setCopied] = useState(false)

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      setCopied(false)
    }
  }
  return (
    <>
      <button type="button" class="outlined" onClick={() => void copy()}>
        {copied ? words.copied : label}
      </button>
      <span class="unseen" role="status">
        {copied ? words.copied : null}
      </span>
    </>
  )
}
