export { MfaStrategy } from './mfa-strategy.ts'
