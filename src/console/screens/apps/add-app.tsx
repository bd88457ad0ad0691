import { useRef, useState } from 'preact/hooks'

import type { DomainSettings } from '../../../admin-contract/domains.ts'
import { Problem } from '../../../ui/messages.tsx'
import { hasCode } from '../../client/errors.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'

interface AddAppProps {
  readonly onAdded: (domain: DomainSettings) => void
  readonly onClose: () => void
}

type Type = DomainSettings['type']

/** Asks for what an app needs first. Its settings follow on its own page. */
export function AddApp({ onAdded, onClose }: AddAppProps) {
  const { apps } = useWords()
  const { client, renew } = useSignedIn()
  const [name, setName] = useState('')
  const [type, setType] = useState<Type>('WEB')
  const [isTaken, setTaken] = useState(false)

  /** Set once the app exists. */
  const added = useRef<DomainSettings>(undefined)

  async function add(): Promise<boolean> {
    setTaken(false)
    try {
      added.current = await client.call('POST /admin/domains', { body: { name, type } })
    } catch (error) {
      if (!hasCode(error, 'api.error.conflict.state')) throw error
      setTaken(true)
      return false
    }
    await renew()
    return true
  }
  return (
    <Confirm
      title={apps.add}
      action={apps.add}
      harmless
      onConfirm={add}
      onClose={() => {
        onClose()
        if (added.current) onAdded(added.current)
      }}
    >
      <div class="field">
        <label>
          <span>{apps.fields.name.label}</span>
          <input
            value={name}
            required
            maxLength={128}
            autocomplete="off"
            aria-describedby="name-hint"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <small id="name-hint">{apps.fields.name.sentence}</small>
      </div>
      <label class="field">
        <span>{apps.fields.type.label}</span>
        <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value as Type)}>
          {Object.entries(apps.types).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Problem text={isTaken ? apps.nameTaken : undefined} />
    </Confirm>
  )
}
