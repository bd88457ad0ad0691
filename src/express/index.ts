export { eventChannel } from './request/events.ts'
export { forgetMfa } from './session/forget.ts'
export { isVerified } from './request/verified.ts'
export { mfa } from './mfa.ts'
export { MfaRequiredError, verifiedMfa } from './verified-mfa.ts'
export { requireMfa } from './require-mfa.ts'
export { requireApproval } from './require-approval.ts'
export { ApprovalRequiredError } from './approval-required-error.ts'
export type { MfaHandler } from './mfa.ts'
export type { UpgradeNeed, VerifiedUpgrade } from './verify-upgrade.ts'
export type { ChallengeStore } from '../challenge/challenge-store.ts'
export type { Verified } from '../challenge/challenge.ts'
export type { MfaEvent } from './options/mfa-event.ts'
export type { AppUser, MfaUser } from '../challenge/user.ts'
export type { ChallengeView } from './pages/layout.ts'
export type { LanguageChoice } from './options/languages.ts'
export type { Messages } from './messages/messages.ts'
export type { MessagesByLanguage, SomeMessages } from './messages/replace.ts'
export type {
  BroughtFactors,
  DevicesOptions,
  MfaOptions,
  RememberOptions,
  RemoteService,
} from './options/mfa-options.ts'
export type { AppRequest, Logger, Logout } from './options/app.ts'
export type { VerifiedPasskey } from './passkey-login.ts'
export type { RequestMfa } from './request-mfa.ts'
export type { RequireMfaOptions } from './require-mfa.ts'
export type { ActionToApprove, RequireApprovalOptions } from './require-approval.ts'
export type { GrantedApproval } from './request/granted-approval.ts'
export type { ApprovalToAsk } from './approve.ts'
export type { Refusal as ApprovalRefusal } from './approvals/answer.ts'
