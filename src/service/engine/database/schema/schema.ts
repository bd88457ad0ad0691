import type { ColumnType, Generated, Kysely } from 'kysely'

import type { Because } from '../../../../admin-contract/because.ts'
import type {
  OidcClientAuthentication,
  OidcClientKind,
  OidcPkce,
} from '../../../../admin-contract/oidc-client-settings.ts'
import type { BulkAction, BulkReason, BulkState } from '../../../../admin-contract/bulk-jobs.ts'
import type { AdminRole } from '../../../../contract/roles.ts'
import type { ApprovalDecision } from '../../../../contract/approval-facts.ts'
import type { ApprovalReason, ApprovalState } from '../../../../contract/approval-state.ts'
import type { Decision } from '../../../../contract/device.ts'
import type { AccessChangeKind, FactorChangeKind } from '../../../../contract/device-answers.ts'
import type { CallDecision, CallState } from '../../../../contract/phone-calls.ts'
import type { Domain, DomainSwitch } from '../../../../contract/domains.ts'
import type { CodeAlgorithm, CodeDigits, HardwareToken } from '../../../../contract/hardware.ts'
import type { PhishingResistance } from '../../../../contract/phishing-resistance.ts'
import type { SessionPurpose, SessionReason, SessionState } from '../../../../contract/sessions.ts'
import type { Token } from '../../../../contract/tokens.ts'
import type { SentPlace } from '../../../../contract/factor-descriptions.ts'
import type { Factor } from '../../../../contract/factor.ts'
import type { SessionBrowser } from '../../../../contract/known-browser.ts'
import type { ImportState } from '../../../../contract/users.ts'

/** A database connection or a transaction on it; queries do not care which. */
export type Queryable = Kysely<Database>

/** Facts of SQL: portable, as SQLite has no booleans. */
export type Fact = 0 | 1

/** The name that `embedded()` gave last; null where it gave none. An administrator may have given another one since. */
type AppName = ColumnType<string | null, string | null | undefined, string>

export type SignInOutcome = 'approved' | 'denied' | 'reported' | 'expired' | 'cancelled'

export type ApiKeyRole = 'admin' | 'auth'

/** A place that codes are sent to. The address is in `user` itself, because the database has no default for it. */
type LaterPlace = Exclude<SentPlace, 'email'>

/** The time at which a place that codes are sent to was last replaced; every change of the place sets it. */
type PlaceChange = `${SentPlace}ChangedAt`

/** Tables in camelCase; SQL has them in snake_case. Times are Unix seconds, facts are 0 or 1. */
export interface Database {
  /** One row: who this service is. */
  service: {
    row: number
    id: string
    /** The words of the REST interface that `init` was given; null for the others. */
    scheme: Generated<string | null>
    mediaType: Generated<string | null>
    basePath: Generated<string | null>
  }
  organization: {
    id: string
    name: string
    appName: AppName
    createdAt: number
  }
  apiKey: {
    id: string
    organizationId: string
    /** SHA-256 of the key, hexadecimal. */
    hash: string
    /** `admin`: everything; `auth`: what endpoints with that role do. */
    role: ApiKeyRole
    /** The only domain it is good for; null: all of the organization. */
    domainId: string | null
    createdAt: number
    /** The time of the last use, to the hour. */
    usedAt: ColumnType<number | null, never, number>
  }
  domain: Record<DomainSwitch, Fact> & {
    id: string
    organizationId: string
    name: string
    appName: AppName
    type: Domain['type']
    keyType: Domain['keyType']
    maxAllowedRetries: number
    /** Seconds. */
    requestTimeout: number
    /** Days. */
    activationCodeExpiration: number
    numberMatching: 'off' | 'offered' | 'required'
    phishingResistant: Generated<PhishingResistance>
    createdAt: number
    /** The last ticket that was drawn: each synchronization draws one when it arrives. */
    synchronizationTicket: Generated<number>
    /** The ticket of the synchronization that was applied last. */
    synchronizationApplied: Generated<number>
  }
  /** Apart from its domain, which is read far more often. */
  domainImage: {
    domainId: string
    /** PNG, base64: the engines do not agree on bytes. */
    png: string
    etag: string
  }
  user: Record<LaterPlace, Generated<string>> &
    Record<PlaceChange, number | null> & {
      /** Order of creation. */
      sequence: Generated<number>
      id: string
      organizationId: string
      username: string
      /** A form that names share if they could be mistaken for each other; not unique. See `features/users/rules.ts`. */
      nameKey: string
      name: string
      email: string
      everEnrolled: Fact
      /** The same, without e-mail: as long as it is 0, a pass by e-mail may set up the first strong factor. */
      strongEnrolled: Generated<Fact>
      /** Whether the user ever had a bypass code. */
      hadCodes: Generated<Fact>
      /**
       * Whether factors that another system made can be imported: not once they were, and not after a reset. `restored`: a reset may have been
       * lost, so that only an administrator imports them.
       */
      importState: Generated<ImportState>
      /** Whether the user got recovery codes that another system made. */
      importedCodes: Generated<Fact>
      /** The language of the user's mails, BCP 47; null if it is not known. */
      language: ColumnType<string | null, string | null | undefined, string>
      /** The time zone in which mails tell times (IANA); null where it is not known. */
      timeZone: Generated<string | null>
      /** Wrong codes in a row, of whatever factor, from anywhere but the user's known browsers. */
      codeFailures: Generated<number>
      codesLockedUntil: Generated<number | null>
      /** The beginning of that lock; null where only an administrator ends it. */
      codesLockedAt: Generated<number | null>
      /** The same from the user's known browsers, all of them together. */
      knownCodeFailures: Generated<number>
      knownCodesLockedUntil: Generated<number | null>
      knownCodesLockedAt: Generated<number | null>
      /** The epoch that the user's verified web sessions are bound to; null until it changes for the first time. */
      epoch: ColumnType<string | null, string | undefined, string | null>
      createdAt: number
      /** The synchronization with which it begins to exist. */
      addedBy: ColumnType<string | null, string | undefined, string | null>
    }
  /** The table that is written; what counts of it is in `member`. */
  membership: {
    sequence: Generated<number>
    domainId: string
    userId: string
    /** The sequence of the user, by which members are listed. A trigger writes it. */
    userSequence: ColumnType<number, never, never>
    /**
     * The best that the user has in the domain: 3 for a factor that an e-mail account does not give, 2 for an address, else 0. Triggers
     * write it.
     */
    factorLevel: ColumnType<number, never, never>
    /** The synchronization with which it begins to count. */
    addedBy: ColumnType<string | null, string | undefined, string | null>
    /** The synchronization with which it stops counting. */
    removedBy: ColumnType<string | null, string | undefined, string | null>
  }
  /** The memberships that count; for reading. */
  member: {
    sequence: number
    domainId: string
    userId: string
    userSequence: number
    factorLevel: number
  }
  /** A change of all memberships of a domain that is under way. */
  synchronization: {
    id: string
    organizationId: string
    domainId: string
    /** The process that works on it, and its last sign of life: a process that died is replaced. */
    holder: string
    /** The process of the holder, as JSON, where the system says enough of it. */
    holderProcess: ColumnType<string | null, string | null | undefined, string | null>
    beatAt: number
    /** The time at which the staged changes took effect. */
    appliedAt: number | null
  }
  /** The changes of a synchronization to an existing user. */
  synchronizedUser: {
    synchronizationId: string
    userId: string
    name: string
    email: string
  }
  token: {
    id: string
    domainId: string
    userId: string
    state: Token['state']
    /** The activation code, sealed; only while pending. */
    code: string | null
    /** The keyed hash that finds a code again. */
    codeLookup: string | null
    codeExpiresAt: number | null
    /** The time at which the code was mailed; null where it is handed over or shown, and once it was used. */
    mailedAt: ColumnType<number | null, number | null | undefined, number | null>
    /** Whether its code is good only as long as its user never had a factor. */
    firstOnly: Generated<Fact>
    /** Whether a page had its code issued and shows it; else an administrator hands the code over. */
    selfEnrollment: Generated<Fact>
    /** The code of a device that is to take the place of the current one, sealed; only while active. */
    replacement: ColumnType<string | null, string | undefined, string | null>
    replacementLookup: ColumnType<string | null, string | undefined, string | null>
    replacementExpiresAt: ColumnType<number | null, number | undefined, number | null>
    /** The user's epoch from the use of that code on; null: a random one. */
    replacementEpoch: ColumnType<string | null, string | undefined, string | null>
    /** The factor that the user had verified before the code was shown; null where that was not required. */
    grantedFactor: ColumnType<Factor | null, Factor | null | undefined, Factor | null>
    grantedFactorId: ColumnType<string | null, string | null | undefined, string | null>
    createdAt: number
    activatedAt: number | null
  }
  /** Outlives its token, so that the device can be told that it was revoked. */
  device: {
    id: string
    tokenId: string
    domainId: string
    userId: string
    name: string
    /** Coordinates of its public key on P-256, base64url. */
    keyX: string
    keyY: string
    /** Hash of its PIN or passcode, sealed; null where the domain asks for none. */
    pin: string | null
    /** Tries of it since the last right one; each is counted before it is looked at. */
    pinTries: Generated<number>
    /** The last try, and the last one that was wrong: sent again they do not count again. */
    pinAttempt: ColumnType<string | null, string | undefined, string | null>
    pinWrong: ColumnType<string | null, string | undefined, string | null>
    /** The address of its push messages: a Web Push subscription as JSON, sealed. */
    push: string | null
    createdAt: number
    revokedAt: number | null
    /** Whether it was revoked because another device took its place. */
    moved: Generated<Fact>
    /** Whether the challenge that has set it up has asked it. */
    greeted: Generated<Fact>
  }
  session: {
    sequence: Generated<number>
    id: string
    domainId: string
    userId: string
    /** Null where a code was given. */
    deviceId: string | null
    state: SessionState
    reason: SessionReason | null
    factor: Factor | null
    /** The device, generator, passkey or bypass code it was approved with; null for e-mail, and until then. */
    factorId: ColumnType<string | null, string | null | undefined, string | null>
    purpose: Generated<SessionPurpose>
    number: string | null
    /** The hash of the secret that can be scanned in place of the number. */
    scanHash: ColumnType<string | null, string | null | undefined, string | null>
    nonce: string
    /** JSON. */
    attributes: string
    ipAddress: string | null
    challenge: string | null
    /** Whether it was created from a known browser of the user. */
    knownBrowser: Generated<Fact>
    createdAt: number
    expiresAt: number
    settledAt: number | null
    redeemedAt: number | null
    /** Whether its challenge has redeemed it; an approval that ended unused has `redeemedAt` alone. */
    passed: Generated<Fact>
    /** Whether a passkey's authenticator verified the person. */
    userVerified: Generated<Fact>
    /** The policy that it was created under, the stricter of domain and app; null for `off`. */
    phishingResistant: ColumnType<PhishingResistance | null, PhishingResistance | null | undefined, never>
    /** Whether the user keeps the browser that it came from; null if the caller did not distinguish browsers. */
    browser: ColumnType<SessionBrowser | null, SessionBrowser | null | undefined, SessionBrowser | null>
    /** The hash of the id of the kept browser that it came from, as in `knownBrowser`; null unless `browser` is `kept`. */
    keptBrowser: ColumnType<string | null, string | null | undefined, never>
    /** The browser as the app knows it, whose newer request replaces this one; null if the app does not say. */
    binding: ColumnType<string | null, string | null | undefined, never>
    /** Whether the user had passed in its browser before; null if the caller did not distinguish browsers. */
    passedBefore: ColumnType<Fact | null, Fact | null | undefined, never>
    /** The device's answer, so that the same answer sent again is recognized. */
    answeredDecision: Decision | null
    answeredNumber: string | null
    /** The network that the request came from; null where requests are not limited by network. */
    network: ColumnType<string | null, string | null | undefined, string | null>
  }
  /**
   * A generator of codes from a seed and the time (RFC 6238), or a counter (RFC 4226): a hardware token or a device, whose id it has.
   */
  codeGenerator: {
    id: string
    /** Hexadecimal, sealed. */
    seed: string
    algorithm: CodeAlgorithm
    digits: CodeDigits
    /** Seconds, 15 to 120. Without a meaning for a counter-based generator. */
    period: number
    /** The last time step a code was accepted of; -1 before the first. */
    lastStep: number
    /** How many time steps its clock was ahead of ours at that time. */
    drift: number
    /** A step that was too far away to be accepted, and when it was seen: the first half of a resynchronization. */
    seenStep: number | null
    seenAt: number | null
    syncState: HardwareToken['syncState']
    /** The next counter that is accepted. Null: the generator is time-based. */
    counter: ColumnType<number | null, number | null | undefined, number>
    /** A counter that was too far ahead to be accepted: the first half of a resynchronization, at `seenAt`. */
    seenCounter: ColumnType<number | null, never, number | null>
    /** When a code of a counter-based generator was last accepted. Of a time-based one, `lastStep` says it. */
    usedAt: ColumnType<number | null, never, number>
    /** Its codes are refused until an administrator resynchronizes it: nobody knows which were used after a backup was made. */
    needsResynchronization: Generated<Fact>
  }
  hardwareToken: {
    sequence: Generated<number>
    /** The id of the hardware token, and of its generator. */
    id: string
    organizationId: string
    alias: string
    serialNumber: string
    userId: string | null
    /** An authenticator app that its user set up. It never gets another user. */
    selfEnrolled: Generated<Fact>
    createdAt: number
  }
  passkey: {
    sequence: Generated<number>
    id: string
    organizationId: string
    userId: string
    /** The relying party that it is valid for. */
    rpId: string
    /** Given by the authenticator, base64url. */
    credentialId: string
    /** COSE, base64url, sealed for the user. */
    publicKey: string
    /** The highest signature counter that was seen. */
    counter: number
    /** JSON. */
    transports: string
    name: string
    syncable: Fact
    synced: Fact
    createdAt: number
    lastUsedAt: ColumnType<number | null, undefined, number>
  }
  /** One making or use of a passkey that has begun. */
  passkeyCeremony: {
    /** SHA-256 of the challenge that the authenticator signs, hexadecimal. */
    challengeHash: string
    domainId: string
    userId: string
    /** `used`: takes no answer; a challenge that was not stored before was used. */
    kind: 'register' | 'authenticate' | 'used'
    rpId: string
    /** JSON. */
    origins: string
    /** Null for a registration. */
    purpose: SessionPurpose | null
    /** The caller's. */
    challenge: string
    expiresAt: number
  }
  bypassCode: {
    sequence: Generated<number>
    id: string
    userId: string
    /** Sealed: the code, its slow hash, or the form in which one of another system is stored. */
    code: string
    /** The keyed hash that finds it again among the codes of its user. */
    codeLookup: string
    usesAllowed: number
    usesRemaining: number
    /** The last time it was used. A code without uses left reads as gone. Its row stays, because the pass it was used for refers to it. */
    usedAt: Generated<number | null>
    expiresAt: number
    createdAt: number
    /** Another system made it. */
    imported: Generated<Fact>
  }
  /** The newest code that was sent to a user for a domain, of whatever factor: its lookup depends on that. */
  emailCode: {
    domainId: string
    userId: string
    codeLookup: string
    wrongTries: number
    expiresAt: number
  }
  /** A signed call that was acted on, kept while its signature is young enough to be sent again. */
  deviceCall: {
    deviceId: string
    jti: string
    expiresAt: number
  }
  /** A move of an account to another device: first a code, then the claim of one device. */
  deviceMove: {
    /** The old one. */
    deviceId: string
    /** The keyed hash of the code; null once a device has used it. */
    codeLookup: string | null
    /** The id that the new device will have; null until one has used the code. */
    claimId: ColumnType<string | null, undefined, string | null>
    claimName: ColumnType<string | null, undefined, string | null>
    claimKeyX: ColumnType<string | null, undefined, string | null>
    claimKeyY: ColumnType<string | null, undefined, string | null>
    /** Whether the person asked for the account on the new device. */
    requested: Generated<Fact>
    /** The end of the code, then of the claim, then of the time to get the account. */
    expiresAt: number
  }
  /** An answer of a device. */
  deviceHistory: {
    sequence: Generated<number>
    sessionId: string
    deviceId: string
    domainId: string
    userId: string
    /** JSON. */
    attributes: string
    ipAddress: string | null
    state: 'approved' | 'denied'
    reason: SessionReason | null
    purpose: Generated<SessionPurpose>
    createdAt: number
    settledAt: number
  }
  /** A change of a user's factors that a device still has to show. */
  deviceNotice: {
    sequence: Generated<number>
    id: string
    deviceId: string
    /** The domain of the change. */
    domainId: string
    kind: FactorChangeKind | AccessChangeKind
    createdAt: number
  }
  /** One row: the pair push messages are signed with (RFC 8292), base64url. */
  pushKey: {
    row: number
    publicKey: string
    /** Sealed. */
    privateKey: string
  }
  /** One try at something that is limited. */
  attempt: {
    sequence: Generated<number>
    scope: string
    at: number
  }
  /** How many there were in a stretch of time that begins at `at`. */
  tally: {
    scope: string
    at: number
    count: number
  }
  /** A key that something may be sealed with. */
  keyCheck: {
    keyId: string
    /** Known words, sealed with it: opens with that key alone. */
    sealed: string
  }
  /** A process that has the database open, and its keys. */
  keyNode: {
    id: string
    /** A name for people: machine and process. */
    name: string
    /** Ids of its keys, with blanks between them. */
    keyIds: string
    /** The key it writes with, and since when; null until it may write. */
    primaryId: string | null
    primarySince: number | null
    seenAt: number
  }
  /** Wrong codes of one challenge. */
  challengeTry: {
    challenge: string
    failures: number
    expiresAt: number
  }
  /** A browser in which a user passed the second step, by the random id in its cookie. Several users may share a browser. */
  knownBrowser: {
    /** SHA-256 of the id, hexadecimal. */
    idHash: string
    domainId: string
    userId: string
    /** The user's factors at that time; see `factorState`. Empty once the browser is no longer known, and has been passed in. */
    factors: string
    /** The time at which the user last passed in it. */
    passedAt: number
    expiresAt: number
    /** The time until which it passes the gate without a second step; null where the person did not want that. */
    rememberedUntil: number | null
    /** Browser and system, for people. */
    name: string | null
    /** The time at which it became known. */
    knownSince: number | null
    /** Set while the user keeps this browser: public key, start and end, and the place, if the app reported one. */
    publicKey: string | null
    keptSince: number | null
    keptUntil: number | null
    place: string | null
    /** The day on which it last passed the gate as a remembered browser. */
    seenAt: ColumnType<number | null, number | null | undefined, number>
  }
  /** One entry of the audit trail; see `audit/entry.ts`. */
  audit: {
    /** Order in which entries were written, for reading on. */
    position: Generated<number>
    writer: string
    sequence: number
    at: number
    event: string
    actorKind: string
    actorId: string
    organizationId: string | null
    address: string | null
    /** JSON. */
    facts: string
    hash: string
  }
  /** A chain of the audit trail. Its row stays when its entries are gone. */
  auditWriter: {
    id: string
    /** The newest sequence when the head was last recorded, which happens now and then. */
    sequence: number
    hash: string
    /** The sequence before the first remaining entry. */
    startSequence: number
    startHash: string
    startedAt: number
    endedAt: number | null
    /** How far its sign-ins have been counted; see `features/sessions/count-sign-ins.ts`. */
    countedSequence: Generated<number>
  }
  /** The verification of an organization's part of the audit trail; see `audit/verifications.ts`. */
  auditVerification: {
    organizationId: string
    /** `requested`: it waits for its turn. */
    state: 'requested' | 'running' | 'done'
    requestedAt: number
    /** The id of an administrator. */
    requestedBy: string
    /** The time of the last sign of life of the process that runs it. */
    beatAt: number | null
    percent: Generated<number>
    /** The last result, which stays while the next verification runs. */
    finishedAt: number | null
    finishedFor: string | null
    entries: number | null
    findings: number | null
    /** The first deviation as JSON, if there is any. */
    broken: string | null
  }
  /** How many sign-ins of a domain ended in a way, in one day. */
  signInDay: {
    domainId: string
    /** Unix time in days, UTC. */
    day: number
    outcome: SignInOutcome
    /** The factor that passed or was tried; empty where none was. */
    factor: Factor | ''
    count: number
  }
  /** The last sign-in of each user. It follows the audit trail, as the counts do. */
  lastSignIn: {
    userSequence: number
    at: number
  }
  /** The entries of the audit trail about each user; see `engine/audit/timeline.ts`. */
  timelineEntry: {
    userSequence: number
    /** The position of the entry in the chain. */
    position: number
    /** Whether it ends a sign-in; otherwise it is a change. */
    signIn: Fact
  }
  /** How many members of a domain are enrolled, as last counted; see `features/people/count-enrolled.ts`. */
  enrollmentCount: {
    domainId: string
    members: number
    enrolled: number
    /** The other people, as far as they get codes by e-mail. */
    onlyEmail: number
    countedAt: number
  }
  /** One row: see `engine/audit/trusted-time.ts`. */
  trustedClock: {
    row: number
    trustedAt: number
    wallAt: number
    /** Seconds. */
    agreed: number
    /** The day of the budget, Unix time in days, and how many entries may still be removed on it. */
    prunedOn: number
    pruneBudget: number
  }
  /** A person with access to the console. The row stays when the access is revoked. */
  administrator: {
    sequence: Generated<number>
    id: string
    organizationId: string
    name: string
    email: string
    role: AdminRole
    /** The user that this person is. No foreign key: the user may be deleted. */
    userId: string | null
    /** The user handle of its passkeys (WebAuthn section 5.4.3): 32 random bytes, base64url. */
    userHandle: string
    createdAt: number
    lastSeenAt: Generated<number | null>
    revokedAt: Generated<number | null>
    /** Grows with each change. */
    version: Generated<number>
  }
  /** The domains that an administrator is limited to. */
  administratorDomain: {
    administratorId: string
    domainId: string
  }
  /** A passkey for the console: valid nowhere else, as users' passkeys are not valid there. */
  administratorPasskey: {
    sequence: Generated<number>
    id: string
    administratorId: string
    rpId: string
    credentialId: string
    /** Sealed for its administrator. */
    publicKey: string
    counter: number
    /** JSON. */
    transports: string
    name: string
    syncable: Fact
    synced: Fact
    createdAt: number
    lastUsedAt: Generated<number | null>
  }
  /** Deleted by the registration that uses it. */
  administratorInvitation: {
    id: string
    /** SHA-256 of the token, hexadecimal. */
    tokenHash: string
    organizationId: string
    name: string
    email: string
    role: AdminRole
    /** JSON. */
    domainIds: string
    userId: string | null
    /** The administrator who invited; null for the command line. Its invitations end with its access. */
    invitedBy: string | null
    createdAt: number
    expiresAt: number
  }
  /** A used challenge of the console, until its time is over. Open ones are not stored: see `newSignedChallenge`. */
  administratorCeremony: {
    challengeHash: string
    kind: 'used'
    /** Always empty, like `userHandle`. */
    subject: string
    userHandle: string
    expiresAt: number
  }
  /** Users with the e-mail address of an administrator who are somebody else, as an owner has said. */
  administratorNamesake: {
    administratorId: string
    userId: string
  }
  /** The texts that people are found by: a row for each person, device in use and hardware token. Triggers write it. */
  searchRow: {
    /** A column of SQLite alone, where rows have the order of their people. */
    id: Generated<number>
    kind: 'user' | 'device' | 'hardware'
    /** The id of the user, device or hardware token. */
    subject: string
    /** The sequence of the user. */
    position: number
    /** The domain that alone sees the row; null where every domain of the user does. */
    domainId: string | null
    text: string
  }
  /** The orders in which lists show people, each by an index. Triggers write it. */
  personOrder: {
    /** The sequence of the user. */
    position: number
    organizationId: string
    /** Name, or username where there is none, without case and accents. */
    name: string
    /** Unix time, seconds; 0 for people who never signed in. */
    signedInAt: number
    /**
     * The best that the person has in any domain: 3 for a factor that an e-mail account does not give, 2 for an address and a membership,
     * 1 for an address alone, else 0. See `0026-person-facts.ts`.
     */
    factorLevel: number
    /** The time until which a bypass code with uses left is valid; 0 where there is none. */
    codesUntil: number
    /** The later one of the last sign-in and the time at which the person was added. */
    activeAt: number
  }
  /** The full-text index of SQLite over them; its `rowid` is their `id`. */
  userSearch: { rowid: Generated<number> }
  /** An action on a person that an administrator asks another one to consent to. */
  consent: {
    id: string
    organizationId: string
    /** The name of the operation. */
    operation: string
    userId: string
    /** JSON: what the operation is called with. */
    parameters: string
    /** JSON: the ids of the domains in which the action counts. */
    domainIds: string
    /** SHA-256 of what the colleague is shown, hexadecimal. */
    digest: string
    requestedBy: string
    because: Because
    decidedBy: Generated<string | null>
    state: 'pending' | 'given' | 'denied' | 'used'
    createdAt: number
    expiresAt: number
  }
  administratorSession: {
    /** SHA-256 of what the cookie holds, hexadecimal. */
    hash: string
    administratorId: string
    createdAt: number
    /** The time of the last use, to the minute. */
    usedAt: number
    /** The last use of a passkey in this session. */
    passedAt: number
  }
  /** An action of an administrator on many people; see `console/bulk/`. */
  bulkJob: {
    id: string
    organizationId: string
    requestedBy: string
    action: BulkAction
    /** The domain that people are removed from. */
    domainId: string | null
    because: Because
    state: BulkState
    /** How many people it is to change. */
    people: number
    createdAt: number
    startedAt: Generated<number | null>
    finishedAt: Generated<number | null>
    /** The time at which it is deleted. */
    expiresAt: number
    /** The process that works on it, and until when no other one does. */
    holder: Generated<string | null>
    heldUntil: Generated<number | null>
  }
  /** A person of a job. */
  bulkItem: {
    jobId: string
    userId: string
    state: 'left_out' | 'waiting' | 'done' | 'skipped' | 'failed'
    reason: BulkReason | null
    expiresAt: number
  }
  /** A mail about what happened to a user, whose reader can say that it was not them. */
  mailReport: {
    /** SHA-256 of the secret in its link, hexadecimal. */
    secretHash: string
    userId: string
    /** The headline of the mail, in the language of the user. */
    headline: string
    expiresAt: number
    usedAt: ColumnType<number | null, null | undefined, number>
  }
  /** The answer to a creating call with an `Idempotency-Key`. */
  rememberedAnswer: {
    /** SHA-256 of the key and everything it belongs to, base64url. */
    id: string
    apiKeyId: string
    domainId: string | null
    /** Digest of the input and answer, sealed. Empty until its transaction ends. */
    answer: string
    expiresAt: number
  }
  /** A question of the help desk to the device of a person on the phone. It is no session. */
  callerVerification: {
    sequence: Generated<number>
    id: string
    organizationId: string
    domainId: string
    userId: string
    deviceId: string
    /** The domain's requirement for the device at that time, which is the strength of the verification. */
    keyType: Generated<Domain['keyType']>
    /** The administrator who asked. */
    requestedBy: string
    /** `expired` is not stored: see `features/callers/rules.ts`. */
    state: CallState
    nonce: string
    number: string
    answeredDecision: Generated<CallDecision | null>
    answeredNumber: Generated<string | null>
    createdAt: number
    expiresAt: number
    settledAt: Generated<number | null>
  }
  /** An action that people are asked to approve. */
  approval: {
    sequence: Generated<number>
    id: string
    organizationId: string
    domainId: string
    /** The API key that asked; `embedded` where the service is part of the app. */
    apiKeyId: string
    /** What a block is about: `self`, `user:<id>` or `app:<name>`. */
    requester: string
    /** The id of the user who asked; null for the approver and for an app. */
    requestedBy: string | null
    /** The text that is shown and signed, sealed for its domain. */
    content: string
    /** SHA-256 of that text, hexadecimal. */
    digest: string
    needed: number
    challenge: string | null
    /** `expired` is stored by the sweep: see `features/approvals/rules.ts`. */
    state: ApprovalState
    reason: Generated<ApprovalReason | null>
    createdAt: number
    expiresAt: number
    settledAt: Generated<number | null>
    redeemedAt: Generated<number | null>
    /** The time until which the approval and its proofs are kept. */
    keptUntil: number
  }
  /** A person who is asked to approve an action. */
  approver: {
    sequence: Generated<number>
    id: string
    approvalId: string
    domainId: string
    userId: string
    /** The device that was told; null for people who have passkeys only. */
    deviceId: string | null
    nonce: string
    number: string | null
    /** Whether an answer is still wanted. */
    waiting: Fact
    /** Whether the membership ended before the action was done: an answer does not count. */
    removed: Generated<Fact>
    decision: Generated<ApprovalDecision | null>
    answeredNumber: Generated<string | null>
    answeredAt: Generated<number | null>
    /** The signature and its receipt as JSON, sealed for the user. */
    proof: Generated<string | null>
    /** The nonce of a passkey that was asked for; good for one answer. */
    passkeyNonce: Generated<string | null>
    passkeyUntil: Generated<number | null>
    /** As that of the approval. */
    keptUntil: number
  }
  /** A requester that a person said "I didn't ask for this" of. */
  requesterBlock: {
    sequence: Generated<number>
    id: string
    domainId: string
    userId: string
    apiKeyId: string
    /** As in `approval`. */
    requester: string
    /** The requester as the device showed it, JSON. */
    shown: string
    blockedUntil: number
  }
  /** A key that signs the receipts of approvals. */
  receiptKey: {
    /** The thumbprint of the public key (RFC 7638). */
    id: string
    /** The key of the ring that was written with when it was made. */
    ringKey: string
    /** JWK. */
    publicKey: string
    /** PKCS #8, base64url, sealed; null once the service writes with another key of the ring. */
    privateKey: string | null
    createdAt: number
  }
  /** A client of the OpenID provider. */
  oidcClient: {
    id: string
    domainId: string
    name: string
    kind: OidcClientKind
    authentication: OidcClientAuthentication
    /** SHA-256 of its secret, base64url; null where it authenticates otherwise, or needs a new one. */
    secretHash: string | null
    /** The same of the secret before, and the time until which that is accepted, too. */
    formerSecretHash: Generated<string | null>
    formerSecretUntil: Generated<number | null>
    /** Whether it runs on the user's machine, where its loopback address has any port (RFC 8252 section 7.3). */
    native: Fact
    /** What binds a code to the sign-in that it was made for. */
    pkce: Generated<OidcPkce>
    /** JSON, as the next four. */
    redirectUris: string
    postLogoutRedirectUris: string
    resources: string
    scopes: string
    /** JSON; set for a tenant of Microsoft Entra. */
    entra: string | null
    /** JSON; set for a client that asks without a browser. */
    ciba: string | null
    /** A JWK Set of public keys. */
    jwks: string | null
    jwksUri: string | null
    refreshTokens: Fact
    /** Grows with each change. */
    version: Generated<number>
    createdAt: number
  }
  /** What the OpenID provider stores of a client, a sign-in or a browser; see `features/oidc/artifacts.ts`. */
  oidcArtifact: {
    /** SHA-256 of model and id, base64url: ids are codes and tokens. */
    id: string
    /** A model of oidc-provider, or one of `features/oidc/models.ts`. */
    model: string
    clientId: string | null
    /** The id of the row of its grant. */
    grantId: string | null
    userId: string | null
    /** A hash, as the id. */
    uid: string | null
    consumedAt: ColumnType<number | null, never, number>
    createdAt: number
    expiresAt: number
    /** JSON, sealed for the id and the user. */
    payload: string
  }
  /** When a client of the OpenID provider is told that a person has answered; see `features/oidc/pings.ts`. */
  oidcPing: {
    /** The artifact with what it says, and to whom. Without it, the ping is sent no more. */
    artifactId: string
    /** The session or approval that is answered. */
    subjectId: string
    /** The time of the next try. Before the first one, the time at which nobody can answer any more. */
    dueAt: number
    /** The time at which the artifact expires. */
    expiresAt: number
    /** The tries that have begun. */
    tries: Generated<number>
  }
  /** A key that the OpenID provider signs with. The last one that has begun signs; see `features/oidc/key-times.ts`. */
  oidcKey: {
    /** The thumbprint of the public key (RFC 7638). */
    id: string
    generation: number
    /** The key of the ring that was written with when it was made. */
    ringKey: string
    /** JWK. */
    publicKey: string
    /** PKCS #8, base64url, sealed. */
    privateKey: string
    createdAt: number
    signsFrom: number
  }
  /** A new epoch of a user of a domain. */
  epochChange: {
    sequence: Generated<number>
    domainId: string
    userId: string
  }
}
