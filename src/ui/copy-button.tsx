import { useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly text: string
  readonly label: string
  /** The accessible name, where several buttons have the same label. It begins with the label. */
  readonly name?: string
  /** Confirms it: "Copied". */
  readonly done: string
}

/** Copies a text and confirms it. Where the browser forbids copying, the text is still readable beside it. */
export function CopyButton({ text, label, name, done }: CopyButtonProps) {
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
      <button type="button" class="outlined" aria-label={name} onClick={() => void copy()}>
        {copied ? done : label}
      </button>
      <span class="unseen" role="status">
        {copied ? done : null}
      </span>
    </>
  )
}
