import type { ComponentChildren } from 'preact'

import { search } from '../client/send.ts'
import { apiBase } from '../session/mount.ts'
import { useWords } from '../words/speech.tsx'

interface ExportsProps {
  /** The path below the interface of the console, without the ending. */
  readonly path: string
  /** The filter of the list. */
  readonly query: object
  /** Elements beside the buttons. */
  readonly children?: ComponentChildren
}

/** Downloads of what a list shows. The browser writes the file while it arrives, so it can be of any length. */
export function Exports({ path, query, children }: ExportsProps) {
  const { audit } = useWords()
  const limits = search({ ...query })
  return (
    <div class="buttons inline exports">
      {children}
      <a class="button outlined" href={`${apiBase}/admin/${path}.csv${limits}`} download>
        {audit.exportCsv}
      </a>
      <a class="button outlined" href={`${apiBase}/admin/${path}.jsonl${limits}`} download>
        {audit.exportLines}
      </a>
    </div>
  )
}
