import type { AccessChangeKind, FactorChangeKind } from '../../../contract/device-answers.ts'

/** The changes of factors and of access that are mailed. After a reset no device is left to show a notice, so only a mail reports it. */
export type ChangeKind = FactorChangeKind | AccessChangeKind | 'reset'

/** Who caused an event, as its user knows them. */
export type Author = 'you' | 'help_desk' | 'administrator' | 'app'
