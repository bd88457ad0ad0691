import type { Because } from '../../contract/admin/because.ts'
import { useWords } from '../words/speech.tsx'

interface ReasonChoiceProps {
  readonly because: Because
  readonly onChange: (because: Because) => void
}

/** The reason for an action, which the audit trail records. */
export function ReasonChoice({ because, onChange }: ReasonChoiceProps) {
  const words = useWords()
  return (
    <label class="field">
      <span>{words.reason}</span>
      <select value={because} onChange={({ currentTarget }) => onChange(currentTarget.value as Because)}>
        {Object.entries(words.reasons).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
