import type { AccessChangeKind, FactorChangeKind } from '../../../contract/device-answers.ts'

/** The changes of factors and of access that are mailed. After a reset no device is left to show a notice, so only a mail reports it. */
export type ChangeKind = FactorChangeKind | AccessChangeKind | 'reset'

/** The author of an event, in terms that the user knows. */
export type Author = 'you' | 'help_desk' | 'administrator' | 'app'
