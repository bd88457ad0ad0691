import type { AccessChangeKind, FactorChangeKind } from '../../../../contract/device-answers.ts'

/** The texts of the mails. A place is the name of an app or of the organization. */
export interface MailWords {
  readonly code: {
    readonly headline: (place: string) => string
    readonly use: (minutes: number) => string
    readonly warning: string
  }
  readonly changes: Readonly<Record<ChangeKind | 'browser_kept', (place: string) => string>>
  readonly reported: {
    readonly headline: (place: string) => string
    readonly sentence: string
    readonly warning: string
  }
  readonly locked: {
    readonly headline: (place: string) => string
    readonly sentence: string
    readonly until: (time: string) => string
    readonly unlock: string
    readonly warning: string
  }
  /** The mail to the owners about a user who answered No to the help desk. */
  readonly caller: {
    readonly headline: (place: string) => string
    readonly sentence: (user: string) => string
    readonly blocked: string
    readonly warning: string
  }
  /** The mail to the owners about a mail whose reader says that it was not them. */
  readonly disowned: {
    readonly headline: (place: string) => string
    readonly sentence: (user: string) => string
    readonly done: string
  }
  /** The link of a mail, and its page. */
  readonly notMe: {
    readonly link: string
    readonly question: string
    readonly effect: string
    readonly close: string
    readonly asksNothing: string
    readonly done: string
    readonly doneSentence: string
    readonly next: string
    readonly over: string
    readonly overSentence: string
    readonly later: string
  }
  /** The mail to a person with the link that sets up a device. */
  readonly enrollment: {
    readonly headline: (place: string) => string
    readonly first: string
    /** Shown to a person who has another factor already. */
    readonly another: string
    readonly button: string
    readonly scan: string
    readonly until: (time: string) => string
    readonly warning: string
  }
  /** The mail to the old address. */
  readonly addressChanged: {
    readonly headline: (place: string) => string
    readonly sentence: string
  }
  /** The mail to an owner about an administrator who acts on many users. */
  readonly bulk: {
    readonly headline: (place: string) => string
    readonly sentence: (name: string, people: number) => string
    readonly total: (name: string, people: number) => string
    readonly warning: string
    readonly revoke: string
  }
  /** One code that was made for the user. */
  readonly handedCode: Readonly<Record<Author, (place: string) => string>>
  readonly facts: {
    readonly device: (name: string) => string
    readonly browser: (name: string) => string
    readonly place: (name: string) => string
    readonly by: (author: string) => string
    readonly authors: Readonly<Record<Author, string>>
  }
  readonly time: (time: string) => string
  readonly tell: string
}

/** The changes of factors and of access that are mailed. After a reset no device is left to show a notice, so only a mail reports it. */
export type ChangeKind = FactorChangeKind | AccessChangeKind | 'reset'

export const en: MailWords = {
  code: {
    headline: (place) => `Your code for ${place}`,
    use: (minutes) => `Type it on the page where you asked for it. It works once, for ${minutes} minutes.`,
    warning: "If you didn't ask for it, change your password.",
  },
  changes: {
    device_added: (place) => `A device was added at ${place}`,
    device_replaced: (place) => `Your device was replaced at ${place}`,
    device_removed: (place) => `A device was removed at ${place}`,
    app_added: (place) => `An authenticator app was added at ${place}`,
    app_replaced: (place) => `Your authenticator app was replaced at ${place}`,
    app_removed: (place) => `Your authenticator app was removed at ${place}`,
    hardware_added: (place) => `A code generator was added at ${place}`,
    hardware_removed: (place) => `Your code generator was removed at ${place}`,
    passkey_added: (place) => `A passkey was added at ${place}`,
    passkey_removed: (place) => `A passkey was removed at ${place}`,
    codes_made: (place) => `New recovery codes were made at ${place}`,
    codes_removed: (place) => `Recovery codes were removed at ${place}`,
    unlocked: (place) => `Your codes and sign-in requests were unlocked at ${place}`,
    signed_out: (place) => `You were signed out of all apps at ${place}`,
    browser_kept: (place) => `A browser was added at ${place}`,
    reset: (place) => `Your second factors were reset at ${place}`,
  },
  reported: {
    headline: (place) => `You reported a sign-in to ${place}`,
    sentence:
      'No one got in. New requests to your device are paused for 15 minutes. Until then, you can sign in with a code.',
    warning: 'Someone may know your password: change it.',
  },
  locked: {
    headline: (place) => `Your codes for ${place} are locked`,
    sentence: 'Too many wrong codes were typed.',
    until: (time) => `Codes work again on ${time}.`,
    unlock: 'Only your administrator can unlock them.',
    warning: "If this wasn't you, someone may know your password: change it.",
  },
  caller: {
    headline: (place) => `Someone may be calling your help desk about ${place}`,
    sentence: (user) => `The help desk asked ${user} whether the call was theirs, and the answer was no.`,
    blocked: "The help desk can't change anything for this user for 24 hours. Owners and admins can.",
    warning: 'Call the user on a number that you already know.',
  },
  disowned: {
    headline: (place) => `A user of ${place} says: this wasn't me`,
    sentence: (user) => `${user} got a mail about a change, and answered that it wasn't them.`,
    done: 'New requests to this user are paused for 15 minutes, and the user was signed out of all apps.',
  },
  notMe: {
    link: "This wasn't me",
    question: 'Was this you?',
    effect:
      'If not, press the button. New sign-in requests to your devices are then paused for 15 minutes, you are signed out of all apps, and your administrator is told. Your devices, codes and kept browsers stay as they are.',
    close: 'If it was you, close this page.',
    asksNothing: 'This page asks for no password and no code.',
    done: 'Your administrator was told',
    doneSentence:
      'New sign-in requests are paused for 15 minutes, and you were signed out of all apps. During the pause, you can sign in with a code.',
    next: 'Someone may know your password: change it soon.',
    over: 'This link no longer works',
    overSentence: "It works for seven days. If something wasn't you, change your password and tell your administrator.",
    later: "The service isn't responding. Try again in a moment.",
  },
  enrollment: {
    headline: (place) => `Set up your sign-in for ${place}`,
    first: 'Open this link on your phone. It sets up the device that confirms your sign-ins from now on.',
    another: 'Open this link on your phone. It sets up another device that confirms your sign-ins.',
    button: 'Set up this device',
    scan: 'Reading this on a computer? Scan the code with the camera of your phone.',
    until: (time) => `The link works once, until ${time}.`,
    warning: "Don't pass this mail on: anyone with the link can set up a device in your name.",
  },
  addressChanged: {
    headline: (place) => `Your e-mail address at ${place} was changed`,
    sentence: 'From now on, mails go to the new address. Links and codes that were sent to this one no longer work.',
  },
  bulk: {
    headline: (place) => `Many users of ${place} are being changed`,
    sentence: (name, people) => `${name} has started an action on ${people} users.`,
    total: (name, people) => `In 24 hours, ${name} has acted on ${people} users.`,
    warning: "If you don't expect this, cancel it in the console, under People, Bulk actions.",
    revoke: "If you don't expect this, revoke their access in the console, under Administrators.",
  },
  handedCode: {
    you: (place) => `A recovery code was made for you at ${place}`,
    help_desk: (place) => `The help desk made a recovery code for you at ${place}`,
    administrator: (place) => `Your administrator made a recovery code for you at ${place}`,
    app: (place) => `A recovery code was made for you at ${place}`,
  },
  facts: {
    device: (name) => `Device: ${name}`,
    browser: (name) => `Browser: ${name}`,
    place: (name) => `Place: ${name}`,
    by: (author) => `By: ${author}`,
    authors: { you: 'you', help_desk: 'the help desk', administrator: 'an administrator', app: 'the app' },
  },
  time: (time) => `Time: ${time}`,
  tell: "If this wasn't you, tell your administrator.",
}

/** Who caused an event, as its user knows them. */
export type Author = 'you' | 'help_desk' | 'administrator' | 'app'
