export { MfaStrategy } from './mfa-strategy.ts'
export type { MfaStrategyOptions } from './options.ts'
export type { MfaFailure } from './posted-code.ts'
