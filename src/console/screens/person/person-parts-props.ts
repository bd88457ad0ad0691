import type { Person } from '../../../admin-contract/people.ts'
import type { PersonActions } from './person-action.ts'
import type { PersonAction } from './action.ts'

export interface PersonPartsProps {
  readonly person: Person
  readonly actions: PersonActions
  /** Whether the administrator may change anything. */
  readonly changeable: boolean
  readonly onAsk: (action: PersonAction) => void
  readonly reload: () => Promise<void>
}
