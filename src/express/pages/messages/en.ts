import type { SessionReason } from '../../../contract/sessions.ts'

/** What a page says: what happened, what it means, and what to do. */
export interface Message {
  readonly headline: string
  readonly sentence: string
  readonly button?: string
}

/**
 * All words of the pages, in English: the texts every other language is held against. A text that takes a value is a
 * function; spans and points in time come as words of the language already. Those may also be put in by the browser, so
 * a text must do nothing with them but hold them.
 */
export const en = {
  /** What the pages call the app, where it does not say. */
  appName: 'Sign-in',
  offline: 'You are offline. We go on as soon as the connection is back.',
  /** For browsers without script. */
  reload: { stop: 'Stop this page from reloading', goOn: 'Let this page reload by itself' },
  footer: { as: 'Signing in as', notYou: 'Not you?', signOut: 'Sign out' },
  waiting: {
    signIn: 'Approve the sign-in',
    stepUp: 'Confirm that it is you',
    changeDevices: 'Confirm the change of your devices',
    withNumber: 'We sent a request to your device. Enter this number there:',
    withoutNumber: 'We sent a request to your device. Approve it there.',
    timeLeft: (span: string) => `${span} left`,
    noTime: 'This page goes on by itself.',
    nearlyUp: 'Time is nearly up. Send again for more.',
    sendAgain: 'Send again',
    sendAgainIn: (span: string) => `Send again in ${span}`,
    tooSoon: 'Give your device a moment first.',
    stop: 'Stop',
  },
  enrolling: {
    headline: 'Set up your device',
    sentence:
      'From now on you approve sign-ins on a device. Scan this with the phone you want to use, or open the link there.',
    qr: 'QR code of the link that sets up the authenticator',
    open: 'Open the authenticator',
    code: 'Or type this code in the authenticator:',
    codeOnly: 'From now on you approve sign-ins on a device. Type this code in its authenticator app:',
    status: 'Waiting for your device. This page goes on by itself.',
    app: 'Use another authenticator app',
    codeNeeded:
      'Type the activation code that your administrator gave you in the authenticator. If you have none, ask your administrator for one.',
  },
  approved: { headline: 'Approved', sentence: 'You will be taken on in a moment.', button: 'Go on' },
  /** When it ends badly. */
  ended: {
    user_denied: {
      headline: 'The sign-in was denied',
      sentence: 'Somebody pressed Deny on your device. If that was not you, change your password.',
      button: 'Try again',
    },
    reported: {
      headline: 'Reported',
      sentence:
        'The request was marked as not yours. Requests to your device are paused for 15 minutes. ' +
        'If somebody else knows your password, change it now.',
      button: 'Use a code',
    },
    wrong_number: {
      headline: 'The numbers did not match',
      sentence: 'Check the number shown here and try once more.',
      button: 'Try again',
    },
    timeout: { headline: 'Time ran out', sentence: 'Nobody answered in time.', button: 'Send again' },
    cancelled: {
      headline: 'The sign-in was stopped',
      sentence: 'Your device no longer shows the request.',
      button: 'Try again',
    },
    push_failed: {
      headline: 'We could not ask your device',
      sentence: 'The request did not reach it. Check that it is on and has a connection.',
      button: 'Send again',
    },
    wrong_code: {
      headline: 'That code did not work',
      sentence: 'Codes work once and for a short time.',
      button: 'Try again',
    },
  } satisfies Readonly<Record<SessionReason, Message>>,
  /** The same, where devices were to be changed. */
  changeEnded: {
    user_denied: { headline: 'The change was denied' },
    cancelled: { headline: 'The change was canceled' },
  },
  /** The sentence where it is known how long that was. */
  timedOut: (span: string) => `Nobody answered within ${span}.`,
  /** The device was asked too often. */
  throttled: {
    headline: 'Wait a moment',
    sentence: (span: string) => `You can send the next request in ${span}.`,
    button: 'Use a code',
  },
  ways: {
    code: 'Use a code instead',
    enter: 'Enter a bypass code',
    cannot: 'I cannot use my device',
    cannotSentence:
      'With a bypass code you can sign in all the same: ask your administrator for one, then use it as a code.',
    /** In place of that while codes are paused, as a bypass code is one, too. */
    pausedSentence: 'Your administrator can unlock codes and requests for you.',
    noCode: 'I have no code',
    noCodeSentence:
      'Your authenticator shows a code also without a connection. Without it, ask your administrator for a bypass code.',
    help: 'Get help',
  },
  code: {
    headline: 'Enter a code',
    changeDevices: 'Enter a code to change your devices',
    sentence: 'From your hardware token or your authenticator, or a recovery or bypass code.',
    label: 'Code',
    check: 'Check',
    email: 'E-mail me a code',
    back: 'Approve on my device instead',
  },
  /** What is said of the last thing somebody tried; the headline in place of the page's own. */
  notices: {
    no_code: { sentence: 'A code has 6 to 9 digits.' },
    wrong_code: {
      headline: 'That code did not work',
      sentence: 'Codes change every 30 seconds and work once.',
      triesLeft: (tries: string) => `Tries left: ${tries}.`,
    },
    codes_paused: {
      headline: 'Too many tries',
      sentence: (span: string) => `Codes work again in ${span}.`,
      /** The same, once the browser has said what time it is there. */
      until: (time: string, span: string) => `Codes work again at ${time} (in ${span}).`,
      /** Where only an administrator ends it. */
      unlock: 'Codes are locked until your administrator unlocks them.',
    },
    app_ready: {
      headline: 'Your app is set up',
      sentence: 'Sign in with the next code it shows. The one you typed is used up.',
    },
    emailed: { sentence: 'We sent a code to your e-mail address. It works for 10 minutes.' },
    email_failed: {
      sentence: "We couldn't send the e-mail. Sign in another way, or try again in a few minutes.",
    },
    email_paused: {
      sentence: (span: string) => `You can have the next e-mail in ${span}. The last code still works.`,
    },
  },
  /** While codes are paused. */
  paused: { device: 'You can still approve on your device.', button: 'Send to my device' },
  /** An authenticator app of the person's own choice. */
  app: {
    headline: 'Set up an authenticator app',
    sentence: 'Scan this with any app that shows codes, then type the code it shows.',
    qr: 'QR code that sets up an authenticator app',
    open: 'Open my app here',
    type: 'I cannot scan it',
    secret: 'Type this key in the app. It makes a new code every 30 seconds:',
    label: 'Code from the app',
    check: 'Set up',
    wrong: 'That is not the code it shows now. Check that the clock of your phone is right, and type the newest code.',
    back: 'Back',
  },
  /** Another device in place of the present one. */
  device: {
    headline: 'Replace your device',
    sentence: 'Scan this with the new device, or open the link there. The old one works until the new one is set up.',
    cancel: 'Keep the old one',
    expires: (span: string) => `Time left for this code: ${span}.`,
  },
  /** Not to be asked in this browser for a while. */
  remember: {
    choose: (days: string) => `Remember this browser for ${days}`,
    chosen: (days: string) => `Once you are in, this browser is remembered for ${days}.`,
    undo: 'Do not remember it',
  },
  recovery: {
    offer: 'Keep recovery codes',
    offerSentence: 'You will need one if you lose your device. Each works once in its place.',
    make: 'Show my recovery codes',
    later: 'Not now',
    headline: 'Recovery codes',
    sentence: 'Keep these where you find them without your device. Each works once.',
    once: 'They are not shown again. New ones take the place of these.',
    file: 'Save as a file',
    print: 'Print',
    done: 'I have kept them',
  },
  /** What somebody can pass the second step with, and change. */
  devices: {
    headline: 'Your devices',
    since: (day: string) => `Since ${day}`,
    last: 'This is your last one: without it you could not sign in. Set up another one first.',
    back: 'Back to the app',
    device: {
      title: 'Device',
      some: 'A device is set up.',
      none: 'No device is set up.',
      add: 'Set up a device',
      pending: (span: string) => `A code for a new device is waiting to be used. Time left: ${span}.`,
      show: 'Show the code',
      withdraw: 'Withdraw the code',
      handedOver: 'Your administrator gave you an activation code for a device. Type it in the authenticator there.',
      replace: 'Replace the device',
      remove: 'Remove the device',
      removal: 'It can no longer approve your sign-ins.',
      removeNow: 'Remove it',
    },
    app: {
      title: 'Authenticator app',
      some: 'An app is set up.',
      none: 'No app is set up.',
      add: 'Add an app',
      replace: 'Replace the app',
      remove: 'Remove the app',
      removal: 'Its codes stop working.',
      removeNow: 'Remove it',
    },
    hardware: {
      title: 'Hardware token',
      remove: 'I have lost it',
      removal: 'Its codes stop working at once. Ask your administrator for another one.',
      removeNow: 'Report it lost',
    },
    codes: {
      title: 'Recovery codes',
      none: 'There are none left.',
      left: (count: string) => `Not used yet: ${count}`,
      old: 'The old ones stop working.',
      make: 'Make new codes',
    },
    email: { title: 'E-mail' },
    browsers: {
      title: 'Remembered browsers',
      sentence: 'Browsers in which you chose not to be asked for a while.',
      forget: 'Forget them all',
    },
    sessions: {
      title: 'Other sessions',
      sentence:
        'Everywhere but here, you’ll be asked to confirm that it’s you again. Remembered browsers are forgotten.',
      end: 'End my other sessions',
    },
    /** What was just done. */
    done: {
      device: 'Your new device is set up.',
      app: 'Your app is set up.',
      removed: 'It is removed.',
      forgotten: 'No browser is remembered any more.',
      sessions: 'Your other sessions are ended. It may take a minute until all of them notice.',
      changed: 'Something was changed meanwhile. Look again, and repeat it if need be.',
    },
  },
  /** Pages that are not about a challenge; scripts get the key and the words. */
  problems: {
    no_device: {
      headline: 'No device can approve this',
      sentence:
        'Your device was removed. Ask your administrator for a new activation code, enter it on your device, then try again.',
      button: 'Try again',
    },
    no_member: {
      headline: 'You cannot sign in here yet',
      sentence: 'Your account is not set up for the second step. Ask your administrator to add you, then try again.',
      button: 'Try again',
    },
    similar_name: {
      headline: "We don't know you by this name",
      sentence: 'Sign in with your name as it was registered, or ask your administrator.',
      button: 'Try again',
    },
    unavailable: {
      headline: 'We cannot check right now',
      sentence: 'The sign-in service does not answer. You are not signed in; nothing was lost.',
      button: 'Try again',
    },
    not_stored: {
      headline: 'You are not signed in yet',
      sentence: 'This app could not store that you passed. Try again in a moment.',
      button: 'Try again',
    },
    slow: {
      headline: 'We cannot check right now',
      sentence: 'The sign-in service takes too long. You are not signed in; nothing was lost.',
      button: 'Try again',
    },
    misconfigured: {
      headline: 'We cannot check here',
      sentence: 'This app is not set up to ask the sign-in service. You are not signed in; tell its administrator.',
      button: 'Try again',
    },
    busy: {
      headline: 'Wait a moment',
      sentence: 'The sign-in service has too much to do. You are not signed in; nothing was lost.',
      button: 'Try again',
    },
    sign_in_first: {
      headline: 'Sign in first',
      sentence: 'Nobody is signed in, so there is nothing to approve.',
      button: 'To the start',
    },
    not_found: { headline: 'There is nothing here', sentence: 'The address may be mistyped.', button: 'To the start' },
    cross_site: {
      headline: 'That did not come from this page',
      sentence: 'For your safety nothing was changed. Open the page again and repeat it there.',
      button: 'Open the page',
    },
    last_factor: {
      headline: 'This is your last one',
      sentence: 'Without it you could not sign in. Set up another one first.',
      button: 'To your devices',
    },
    ask_administrator: {
      headline: 'Ask your administrator',
      sentence:
        'You have nothing here that can confirm this change. Your administrator can give you a recovery code or an activation code.',
      button: 'To your devices',
    },
    not_ahead: {
      headline: 'Open this page yourself',
      sentence: 'It is not loaded ahead, as it sends a request to your device.',
    },
  },
}

type ReadonlyTexts<T> = T extends string | ((...values: never) => string)
  ? T
  : { readonly [Key in keyof T]: ReadonlyTexts<T[Key]> }

/** All words of the pages in one language. */
export type Messages = ReadonlyTexts<typeof en>
