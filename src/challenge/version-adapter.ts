import type { Client } from '../client/client.ts'
import type { ApiError } from '../client/errors.ts'
import type { Version } from '../contract/endpoint.ts'
import type { UnknownBrowser } from '../contract/browser-key.ts'
import type { SentFactor } from '../contract/factor-descriptions.ts'
import type { RequestedPhishingResistance } from '../contract/phishing-resistance.ts'
import type { PassedBrowser, RedeemedSession } from '../contract/sessions.ts'
import type { Token } from '../contract/tokens.ts'
import type { CreatedUser, User } from '../contract/users.ts'
import type { ChallengeStore } from './challenge-store.ts'

/** The differences between the versions of the interface. Each version has an adapter; all other code is the same for every version. */
export interface VersionAdapter {
  /** A name for people to read. Code decides by the members below. */
  readonly version: Version
  /** Whether it says which factors users have, whether they ever had one, and who issued their activation code. */
  readonly knowsFactors: boolean
  /** Whether users can change their own factors. */
  readonly managesFactors: boolean
  /** Whether it knows the browsers of users, and remembers them. */
  readonly knowsBrowsers: boolean
  /** Whether it says that a factor is paused before it is tried. */
  readonly reportsPauses: boolean
  /** Whether it can end verified web sessions: it stores an epoch for each user. */
  readonly hasEpochs: boolean
  /** Whether it can redeem the approval of a code in the call that checks the code. */
  readonly redeemsCodes: boolean
  /** Whether its authenticator is that of this package, which has a known address. */
  readonly hasAuthenticator: boolean
  /** Whether it can ask people to approve actions. */
  readonly asksForApprovals: boolean
  /**
   * Redeems an approval. Only one call for a session succeeds, over all nodes of the app.
   * @param challenge The challenge that the session belongs to, the browser, and the policy that the approval has to meet.
   * @returns undefined, or a session that is not approved, if it did not succeed.
   */
  redeem(sessionId: string, challenge: Redeemable): Promise<RedeemedSession | undefined>
  /**
   * Returns the token for a first device. It has no code if an administrator has, or may have, issued that.
   * @param shownCode The code that the page of this challenge has shown.
   * @returns undefined if the user has had a factor by now.
   */
  issueFirstToken(userId: string, shownCode: string | undefined): Promise<Pick<Token, 'code'> | undefined>
  /** @param options.exact Whether similar names belong to different users. For a 1.3 service they always do. */
  createUser(user: Omit<CreatedUser, 'provision'>, options: { readonly exact: boolean }): Promise<User>
  /** Whether a code could not be sent, while the service itself is available. */
  isSendingRejection(factor: SentFactor, error: ApiError): boolean
}

/** The conditions that an approval has to match when it is redeemed. */
export interface Redeemable {
  readonly id: string
  readonly browser: PassedBrowser
  readonly phishingResistant: RequestedPhishingResistance | undefined
  readonly unknownBrowser: UnknownBrowser
}

export interface AdapterOptions {
  readonly client: Client
  readonly domainId: string
  readonly challengeStore: ChallengeStore
}
