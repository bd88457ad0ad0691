import { type AdminRole, needsDomains } from '../../../contract/roles.ts'
import { useWords } from '../../words/speech.tsx'
import { DomainBoxes } from './domain-boxes.tsx'

/** The role of an administrator and its domains. */
export interface Access {
  readonly role: AdminRole
  /** Ids; empty for the whole organization. */
  readonly domains: readonly string[]
}

interface AccessFieldsProps {
  readonly access: Access
  readonly onChange: (access: Access) => void
}

/** Whether the domains of the role are chosen: some roles need them. */
export const isComplete = ({ role, domains }: Access): boolean => !needsDomains(role) || domains.length > 0

/** The value that the service stores: owners are never limited. */
export const accessOf = ({ role, domains }: Access) => ({ role, domains: role === 'owner' ? [] : [...domains] })

export function AccessFields({ access, onChange }: AccessFieldsProps) {
  const words = useWords()
  return (
    <>
      <fieldset class="choices">
        <legend>{words.role}</legend>
        {(Object.keys(words.roles) as AdminRole[]).map((role) => (
          <label key={role} class="choice">
            <input
              type="radio"
              name="role"
              checked={access.role === role}
              onChange={() => onChange({ ...access, role })}
            />
            <span>
              <strong>{words.roles[role]}</strong>
              <small>{words.roleSentences[role]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {access.role === 'owner' ? null : <DomainFields access={access} onChange={onChange} />}
    </>
  )
}

function DomainFields({ access, onChange }: AccessFieldsProps) {
  const words = useWords()
  const toggle = (id: string, on: boolean) =>
    onChange({ ...access, domains: on ? [...access.domains, id] : access.domains.filter((each) => each !== id) })
  return (
    <fieldset class="choices" aria-describedby="domains-hint">
      <legend>{words.domains}</legend>
      <small id="domains-hint">{access.role === 'auditor' ? words.auditorDomains : words.chooseDomains}</small>
      <DomainBoxes chosen={access.domains} onToggle={toggle} />
    </fieldset>
  )
}
