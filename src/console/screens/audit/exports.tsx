import { apiBase } from '../../mount.ts'
import type { AuditFilter } from '../../places.ts'
import { useWords } from '../../words/speech.tsx'

/** Downloads of what the filter shows. The browser writes the file while it arrives, so it can be of any length. */
export function Exports({ filter }: { readonly filter: AuditFilter }) {
  const { audit } = useWords()
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const query = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''
  return (
    <div class="buttons inline exports">
      <a class="button outlined" href={`${apiBase}/admin/audit/entries.csv${query}`} download>
        {audit.exportCsv}
      </a>
      <a class="button outlined" href={`${apiBase}/admin/audit/entries.jsonl${query}`} download>
        {audit.exportLines}
      </a>
    </div>
  )
}
