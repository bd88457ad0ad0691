import { useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly text: string
  readonly label: string
  /** Confirms it: "Copied". */
  readonly done: string
}

/** Copies a text and confirms it. Where the browser forbids copying, the text is still readable beside it. */
export function CopyButton({ text, label, done }: CopyButtonProps) {
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
        {copied ? done : label}
      </button>
      <span class="unseen" role="status">
        {copied ? done : null}
      </span>
    </>
  )
}
