import type { Because } from '../../../admin-contract/because.ts'
import type { ConsentParameters } from '../../../admin-contract/consents.ts'
import type { EnrollmentLink } from '../../../admin-contract/enrollment.ts'
import type { Person } from '../../../admin-contract/people.ts'
import { linkDays } from '../../../admin-contract/link-days.ts'
import { type Losses } from './losses.ts'

/** The input of an administrator for an action, besides the reason. */
export interface ActionValues {
  readonly serialNumber: string
  /** How often a bypass code works. */
  readonly usesAllowed: number
  /** How long a bypass code works, minutes. */
  readonly expirationTime: number
  /** Two codes that a hardware token showed one after the other. */
  readonly first: string
  readonly second: string
  /** How long a link works. */
  readonly days: number
  readonly email: string
  /** The app that a link is for. */
  readonly domainId: string
}

export const nothingEntered: ActionValues = {
  serialNumber: '',
  usesAllowed: 1,
  expirationTime: 24 * 60,
  first: '',
  second: '',
  days: linkDays.usual,
  email: '',
  domainId: '',
}

/** A code that is shown once. */
export interface ShownCode {
  readonly title: string
  readonly code: string
  /** The link that contains it. */
  readonly link?: Pick<EnrollmentLink, 'link' | 'expiresAt'>
}

/** One thing that an administrator can do for a person. */
export interface PersonAction {
  /** The operation's name in the contract. */
  readonly operation: string
  /** A question that names the person. */
  readonly title: string
  readonly sentence: string
  /** The label of the button. */
  readonly action: string
  /** The reason that a colleague has seen already. */
  readonly because?: Because
  /** The values that have to be entered. */
  readonly asks?: 'serialNumber' | 'bypassCode' | 'twoCodes' | 'days' | 'email'
  /** Values that were entered elsewhere. */
  readonly values?: Partial<ActionValues>
  /** The parameters of the operation, besides the person, the reason and secrets. */
  readonly parameters?: (values: ActionValues) => ConsentParameters
  /** Takes nothing away. */
  readonly harmless?: boolean
  /** The apps to choose from, for a link. */
  readonly apps?: readonly string[]
  /** The possessions that it removes from the person. */
  readonly removes?: (person: Person) => Losses
  /** The message afterwards. */
  readonly done: string
  readonly run: (because: Because, values: ActionValues) => Promise<ShownCode | undefined>
}
