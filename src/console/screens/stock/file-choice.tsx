import { useState } from 'preact/hooks'

import { isolated } from '../../../ground/printable.ts'
import { Icon } from '../../../ui/icon.tsx'
import { upload } from '../../../ui/icons.ts'
import { useWords } from '../../words/speech.tsx'

interface FileChoiceProps {
  /** The name of the file that is chosen. */
  readonly name: string | undefined
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

/** A file of tokens: chosen, or dropped on it. */
export function FileChoice({ name, busy, onFile }: FileChoiceProps) {
  const { stock } = useWords()
  const [over, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0]
    if (file && !busy) onFile(file)
  }
  return (
    <label
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <Icon path={upload} />
      <strong>{name === undefined ? stock.import.choose : isolated(name)}</strong>
      <small>{name === undefined ? stock.import.hint : stock.import.another}</small>
      <input
        type="file"
        accept=".csv,.txt,.xml,.pskc,.pskcxml,text/csv,text/plain,text/xml,application/xml,application/pskc+xml"
        disabled={busy}
        onChange={({ currentTarget }) => {
          take(currentTarget.files)
          // So that the same file, corrected meanwhile, can be chosen again.
          currentTarget.value = ''
        }}
      />
    </label>
  )
}
