import type { SessionReason } from '../../contract/sessions.ts'

/** A text of a page: what happened, what it means, and what to do. */
export interface Message {
  readonly headline: string
  readonly sentence: string
  readonly button?: string
  /** The button that leads to `passwordUrl`. */
  readonly changePassword?: string
}

/**
 * All texts of the pages, in English; other languages have the same keys. A text with a value is a function; spans and points in
 * time arrive as words of the language. The browser may insert them later, so a text must not process them.
 */
export const en = {
  /** The name of the app, if it has none. */
  appName: 'My app',
  /** Replaces the headline until the connection is back. */
  offline: { headline: "You're offline", sentence: 'We continue as soon as the connection is back.' },
  /** The texts for browsers without JavaScript. */
  reload: { stop: 'Stop this page from reloading', goOn: 'Let this page reload automatically' },
  footer: { as: 'Signing in as', signedIn: 'Signed in as', notYou: 'Not you?', signOut: 'Sign out' },
  /** While the page signs. */
  browserProof: { headline: 'One moment…', sentence: 'We check whether you use this browser.', button: 'Continue' },
  waiting: {
    signIn: 'Approve the sign-in',
    stepUp: "Confirm that it's you",
    stepUpFor: (purpose: string) => `To ${purpose}, confirm that it's you`,
    changeDevices: 'Confirm the change to your devices',
    withNumber: (device: string) => `We sent a request to ${device}. Enter this number there:`,
    withoutNumber: (device: string) => `We sent a request to ${device}. Approve it there.`,
    /** If the name of the device is not known. */
    yourDevice: 'your device',
    copy: 'Copy',
    copied: 'Copied',
    /** Shows a QR code. */
    scan: "Can't type it? Scan instead",
    /** Below it. */
    scanHint: 'Scan this in the authenticator.',
    /** Shown on touch screens, which may be the device itself. */
    open: 'Open the authenticator on this phone',
    timeLeft: (span: string) => `${span} left`,
    noTime: 'This page updates automatically.',
    nearlyUp: 'Almost out of time. Send again?',
    sendAgain: 'Send again',
    sendAgainIn: (span: string) => `Send again in ${span}`,
    tooSoon: 'Give your device a moment first.',
    stop: 'Cancel this sign-in',
    /** The same in a step-up. */
    stopStepUp: 'Cancel',
    /** The same while devices are changed. */
    stopChange: 'Cancel this change',
  },
  enrolling: {
    /** A first factor is chosen on a page of its own, where passkeys can be used. */
    choose: 'How will you confirm sign-ins?',
    chooseSentence: 'From now on, you confirm sign-ins on a device of yours, besides the password.',
    choices: {
      computer: {
        title: 'This computer (fingerprint, face or PIN)',
        sentence: 'It asks you now, and each time you sign in.',
      },
      /** The same on a touch screen. */
      device: {
        title: 'This device (fingerprint, face or PIN)',
        sentence: 'It asks you now, and each time you sign in.',
      },
      phone: { title: 'My phone', sentence: 'Scan a code once, then approve sign-ins there.' },
      /** The same on a touch screen. */
      authenticator: {
        title: 'The authenticator',
        sentence: 'An app on this phone or another one, where you approve sign-ins.',
      },
    },
    headline: 'Set up your device',
    sentence: 'From now on you approve sign-ins on a device, such as your phone.',
    /** Shown on a screen without touch, above the QR code. */
    steps: { camera: 'Open the camera on your phone', scan: 'Scan this code', add: 'Tap “Add this account”' },
    /** The same on a touch screen, which has the button first. */
    another: 'To use another device, scan this with its camera:',
    qr: 'QR code of the link that sets up the authenticator',
    open: 'Open the authenticator',
    /** The link on a screen without touch: who controls that computer would have both factors. */
    noPhone: 'No phone? Use this computer instead (less safe)',
    code: 'Or type this code in the authenticator:',
    codeOnly: 'From now on you approve sign-ins on a device. Type this code in its authenticator app:',
    status: 'Waiting for your device. This page continues automatically.',
    back: 'Another way',
    app: 'Use another authenticator app',
    codeNeeded:
      'Type the activation code that your administrator gave you in the authenticator. If you have none, ask your administrator for one.',
  },
  approved: { headline: 'Approved', sentence: 'Taking you back to the app…', button: 'Continue' },
  /** The request ended without approval. */
  ended: {
    user_denied: {
      headline: 'You denied this sign-in',
      sentence: 'Someone else may be signing in as you.',
      button: 'It was me – try again',
      changePassword: 'I denied it – change my password',
    },
    reported: {
      headline: 'Reported',
      sentence: 'No one got in.',
      button: 'Use a code',
      changePassword: 'Change my password',
    },
    wrong_number: {
      headline: "That wasn't the right number",
      sentence: "We'll send a new request with a new number.",
      button: 'Send a new request',
    },
    timeout: { headline: 'Time ran out', sentence: "The request wasn't answered in time.", button: 'Send again' },
    cancelled: {
      headline: 'The sign-in was canceled',
      sentence: 'Your device no longer shows the request.',
      button: 'Try again',
    },
    push_failed: {
      headline: "We couldn't reach your device",
      sentence: "Check that it's on and connected to the internet.",
      button: 'Send again',
    },
    wrong_code: {
      headline: "That code didn't work",
      sentence: 'Codes work once and for a short time.',
      button: 'Try again',
    },
    wrong_passkey: {
      headline: "That passkey didn't work",
      sentence: 'Try again, or sign in another way.',
      button: 'Try again',
    },
    unknown_browser: {
      headline: 'This browser is new',
      sentence: 'Here, this app accepts only passkeys. Sign in with yours, or ask your administrator for help.',
      button: 'Try again',
    },
    phishing_resistance_required: {
      headline: 'A passkey is needed',
      sentence: 'This app accepts only passkeys. Sign in with yours, or ask your administrator for help.',
      button: 'Try again',
    },
    /** A service that speaks only version 1.3 does not say which of the two. */
    unexplained: {
      headline: "The sign-in wasn't approved",
      sentence: 'Your device denied the request, or no one answered in time.',
      button: 'Try again',
    },
  } satisfies Readonly<Record<SessionReason | 'unexplained', Message>>,
  /** The same for a change of devices. */
  changeEnded: {
    user_denied: {
      headline: 'You denied this change',
      sentence: 'Someone else may be using your account.',
    },
    cancelled: { headline: 'The change was canceled' },
  },
  /** Shown after a report, while no request can be sent. */
  requestsPaused: (span: string) => `Requests are paused for ${span}.`,
  /** Instead of the button, if the app has no `passwordUrl`. */
  changePassword: "If it wasn't you, change your password.",
  /** The sentence if it is known how long that was. */
  timedOut: (span: string) => `The request wasn't answered within ${span}.`,
  /** Too many push requests. */
  throttled: {
    headline: 'Wait a moment',
    sentence: (span: string) => `You can send the next request in ${span}.`,
  },
  /** The ways other than approving on the device, on a page of their own. */
  ways: {
    signIn: 'Other ways to sign in',
    /** The same where a change or a step-up is confirmed. */
    confirm: 'Other ways to confirm',
    passkey: 'Use a passkey',
    /** Sends a request. */
    push: 'Approve on my device',
    device: { title: 'My phone has no signal', sentence: 'Open the app and tap Show code.' },
    otp: { title: 'Use a code', sentence: 'From your authenticator app or code generator.' },
    recovery: (left: string) => `Use a recovery code (${left} left)`,
    email: (address: string) => `E-mail a code to ${address}`,
    ask: {
      browser: 'They can give you a code that keeps this browser.',
      title: 'Ask your administrator',
      code: 'They can give you a recovery code.',
      /** If the app accepts no recovery codes. */
      device: 'They can help you set up another device.',
      /** If only passkeys count. */
      passkey: 'They can give you a code that lets you add a new passkey.',
      /** While codes are paused. */
      unlock: 'They can unlock codes and requests for you.',
      enter: 'Enter the code',
    },
    help: 'Get help',
    back: 'Back',
  },
  /** The page with the field for a code. */
  code: {
    code: { headline: 'Enter a code', sentence: 'From your authenticator app or code generator, or a recovery code.' },
    otp: { headline: 'Enter a code', sentence: 'Type the code that your authenticator app or code generator shows.' },
    bypass: { headline: 'Enter a recovery code', sentence: 'It has 9 digits.' },
    email: { headline: 'Enter the code from the e-mail', sentence: 'It has 6 digits. Only the newest one works.' },
    changeDevices: 'Enter a code to change your devices',
    label: 'Code',
    check: 'Verify',
    sendEmail: 'E-mail me a code',
    back: 'Approve on my device instead',
  },
  /** The result of the user's last attempt; the headline replaces that of the page. */
  notices: {
    no_code: { sentence: 'A code has 6 to 9 digits.' },
    wrong_passkey: { sentence: "That passkey didn't work. Try again, or choose another way." },
    wrong_code: {
      headline: "That code didn't work",
      sentence: 'Codes change every 30 seconds and work once.',
      /** Shown after a code with the nine digits of a recovery code. */
      recovery: 'Each recovery code works once. Codes from an older list no longer work.',
      /** The number is at least 2. */
      triesLeft: (tries: string) => `${tries} tries left.`,
      /** The headline with one try left. */
      lastTry: (span: string) => `One more wrong code pauses codes for ${span}`,
      /** The same if only an administrator ends the pause. */
      lastTryLocks: 'One more wrong code locks codes until your administrator unlocks them',
    },
    codes_paused: {
      headline: 'Too many tries',
      sentence: (span: string) => `Codes work again in ${span}.`,
      /** The same with the time in the browser's time zone. */
      until: (time: string, span: string) => `Codes work again at ${time} (in ${span}).`,
      /** If only an administrator ends it. */
      unlock: 'Codes are locked until your administrator unlocks them.',
    },
    app_ready: {
      headline: 'Your app is set up',
      sentence: "Sign in with the next code it shows. The one you typed can't be used again.",
    },
    emailed: { sentence: 'We sent a code to your e-mail address. It works for 10 minutes.' },
    email_failed: {
      sentence: "We couldn't send the e-mail. Sign in another way, or try again in a few minutes.",
    },
    email_paused: {
      sentence: (span: string) => `You can request another e-mail in ${span}. The last code still works.`,
    },
  },
  /** While codes are paused. */
  paused: { device: 'You can still approve on your device.', button: 'Send to my device' },
  /** Passing with a passkey. */
  passkey: {
    headline: 'Use your passkey',
    stepUp: 'Confirm with your passkey',
    changeDevices: 'Confirm this change with your passkey',
    sentence: 'Confirm with your fingerprint, your face or your screen lock.',
    use: 'Use passkey',
    unsupported: "This browser can't use passkeys. Choose another way.",
    /** The dialog of the browser was closed, or timed out. */
    canceled: "That didn't finish. Try again, or choose another way.",
    noScript: 'Passkeys need JavaScript. Choose another way.',
    busy: 'Too many tries. Choose another way, or wait a few minutes.',
  },
  /** Shown to users who need a passkey and have none that they can use: their administrator hands over a code. */
  passkeyNeeded: {
    /** Shown in a browser that is not kept, where the app denies those. */
    newBrowser:
      'Here, this app accepts only passkeys, and browsers that you keep. Ask your administrator for a code, in person.',
    keepHint:
      'It has 9 digits, works once, and for 30 minutes at most. It keeps this browser, so that you can sign in here as usual. Enter it only on your own computer.',
    noKey: 'This browser can’t be kept. Turn on JavaScript, and try again outside of a private window.',
    none: 'This app accepts only passkeys, and you have none for it yet. Ask your administrator for a code, in person.',
    /** They have a passkey, and perhaps lost it. */
    lost: "If you can't use your passkey anymore, ask your administrator for a code, in person.",
    hint: 'It has 9 digits, works once, and for 30 minutes at most. It lets you add a passkey.',
    label: 'Code from your administrator',
    check: 'Continue',
    wrong: 'Only a code that your administrator gave you in the last 30 minutes works here.',
  },
  /** Adding a passkey. */
  newPasskey: {
    headline: 'Add a passkey',
    sentence: 'Your browser asks where to keep it: on this device, in your password manager or on a security key.',
    /** As the first factor, during the first sign-in. */
    first: 'This will be your way to sign in.',
    name: 'Name',
    add: 'Add passkey',
    present: 'There is a passkey for your account here already.',
    wrong: "That passkey couldn't be added. Try again.",
    back: 'Back',
    /** Offered after a sign-in by another factor. */
    offer: {
      headline: 'Next time: one touch',
      sentence:
        'Add a passkey, and confirm sign-ins with your fingerprint, your face or your screen lock. A passkey only works on the real site, so no one can phish it.',
      add: 'Add a passkey',
      later: 'Not now',
      never: 'Never on this browser',
    },
  },
  /** An authenticator app of the user's choice. */
  app: {
    headline: 'Set up an authenticator app',
    sentence: 'Scan this with any app that shows codes, then type the code it shows.',
    qr: 'QR code that sets up an authenticator app',
    open: 'Open my app here',
    type: "I can't scan it",
    secret: 'Type this key in the app. It makes a new code every 30 seconds:',
    label: 'Code from the app',
    check: 'Set up',
    wrong: "That isn't the code it shows now. Check that your phone's clock is right, then type the newest code.",
    back: 'Back',
  },
  /** Another device, which replaces the present one. */
  device: {
    headline: 'Replace your device',
    sentence: 'The old one works until the new one is set up.',
    cancel: 'Keep the old one',
    expires: (span: string) => `Time left for this code: ${span}.`,
  },
  /** Remembering the browser. */
  remember: {
    choose: (days: string) => `Don't ask again on this browser for ${days}`,
    means: 'Until then, your password is enough here: choose this only on your own computer.',
    /** The button for browsers without JavaScript; otherwise the choice is saved at once. */
    save: 'Save',
  },
  recovery: {
    offer: 'Save recovery codes',
    offerSentence: "You'll need one if you lose your device. Each works once.",
    make: 'Show my recovery codes',
    later: 'Not now',
    headline: 'Recovery codes',
    sentence: 'Keep these where you can find them without your device. Each works once.',
    once: "They won't be shown again. New codes replace these.",
    file: 'Save as a file',
    print: 'Print',
    done: "I've saved them",
    /** Shown to users who come back to the page of the codes. */
    seen: "You've already seen these codes",
    again: 'Make new ones? The old ones stop working.',
    keep: 'Keep the old ones',
  },
  /** The user's factors, and changing them. */
  devices: {
    headline: 'Your devices',
    since: (day: string) => `Since ${day}`,
    lastUsed: (when: string) => `Last used ${when}`,
    last: "This is your only one: without it you couldn't sign in. Set up another one first.",
    back: 'Back to the app',
    device: {
      title: 'Device',
      some: 'A device is set up.',
      none: 'No device is set up.',
      rename: 'Rename',
      name: 'Name',
      save: 'Save',
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
    passkeys: {
      title: 'Passkeys',
      none: 'No passkey is set up.',
      /** The app at which it works, if that is not this one. */
      site: (site: string) => `For ${site}`,
      /** The password manager keeps it on several devices. */
      synced: 'Synced',
      thisDevice: 'This device only',
      rename: 'Rename',
      name: 'Name',
      save: 'Save',
      add: 'Add a passkey',
      full: 'You have as many passkeys as possible. Remove one to add another.',
      remove: 'Remove',
      removal: 'It can no longer confirm your sign-ins. Delete it in your password manager, too.',
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
      title: 'Code generator',
      remove: "I've lost it",
      removal: 'Its codes stop working at once. Ask your administrator for another one.',
      removeNow: 'Report it lost',
    },
    codes: {
      title: 'Recovery codes',
      none: 'You have none left.',
      never: "You haven't made any yet.",
      left: (count: string, of: string) => `${count} of ${of} left`,
      old: 'The old ones stop working.',
      make: 'Make new codes',
      first: 'Make recovery codes',
    },
    email: { title: 'E-mail' },
    browsers: {
      title: 'Your browsers',
      sentence: 'Browsers that you keep, or where you chose not to be asked for a while.',
      none: 'No browser is remembered here.',
      current: 'This browser',
      unnamed: 'A browser',
      until: (day: string) => `Until ${day}`,
      kept: (day: string) => `Kept until ${day}`,
      remove: 'Remove',
      forget: 'Forget all browsers',
    },
    sessions: {
      title: 'Signed in elsewhere',
      sentence:
        "Everywhere but here, you'll be asked to confirm that it's you again. Remembered browsers are forgotten.",
      end: 'Ask again everywhere else',
    },
    /** What was just done. */
    done: {
      device: 'Your new device is set up.',
      passkey: 'Your passkey is set up.',
      passkeyRenamed: 'Your passkey has a new name.',
      app: 'Your app is set up.',
      removed: "It's removed.",
      renamed: 'Your device has a new name.',
      forgotten: 'No browser is remembered now.',
      sessions: "Everywhere else, you'll now be asked to confirm that it's you. This can take a minute to take effect.",
      changed: 'Something changed in the meantime. Check, and repeat your change if you still need it.',
    },
  },
  /** Pages that are not about a challenge; scripts get the key and the text. */
  problems: {
    no_device: {
      headline: 'No device can approve this',
      sentence:
        'Your device was removed. Ask your administrator for a new activation code, enter it on your device, then try again.',
      button: 'Try again',
    },
    no_member: {
      headline: "You can't sign in here yet",
      sentence: "Your account isn't set up for the second step. Ask your administrator to add you, then try again.",
      button: 'Try again',
    },
    similar_name: {
      headline: "We don't know you by this name",
      sentence: 'Sign in with your name as it was registered, or ask your administrator.',
      button: 'Try again',
    },
    unavailable: {
      headline: "We can't verify you right now",
      sentence: "The sign-in service isn't responding. You're not signed in; nothing was lost.",
      button: 'Try again',
    },
    not_stored: {
      headline: "You're not signed in yet",
      sentence: "This app couldn't save your sign-in. Try again in a moment.",
      button: 'Try again',
    },
    slow: {
      headline: "We can't verify you right now",
      sentence: "The sign-in service is taking too long. You're not signed in; nothing was lost.",
      button: 'Try again',
    },
    misconfigured: {
      headline: "We can't verify you here",
      sentence: "This app isn't set up to use the sign-in service. You're not signed in; tell its administrator.",
      button: 'Try again',
    },
    busy: {
      headline: 'Wait a moment',
      sentence: "The sign-in service is overloaded. You're not signed in; nothing was lost.",
      button: 'Try again',
    },
    sign_in_first: {
      headline: 'Sign in first',
      sentence: "You're not signed in, so there's nothing to approve.",
      button: 'Back to sign-in',
    },
    not_found: {
      headline: "There's nothing here",
      sentence: 'The address may be mistyped.',
      button: 'Back to sign-in',
    },
    cross_site: {
      headline: "That didn't come from this page",
      sentence: 'For your safety nothing was changed. Open the page again and repeat it there.',
      button: 'Open the page',
    },
    last_factor: {
      headline: 'This is your only one',
      sentence: "Without it you couldn't sign in. Set up another one first.",
      button: 'Back to your devices',
    },
    ask_administrator: {
      headline: 'Ask your administrator',
      sentence:
        'You have nothing that can confirm this change. Your administrator can give you a recovery code or an activation code.',
      button: 'Back to your devices',
    },
    cookies_blocked: {
      headline: 'Your browser blocks cookies',
      sentence: "Allow cookies for this site, then try again. Without them you can't sign in.",
      button: 'Try again',
    },
    not_ahead: {
      headline: 'Open this page yourself',
      sentence: "It isn't preloaded, because it sends a request to your device.",
    },
  },
}

type ReadonlyTexts<T> = T extends string | ((...values: never) => string)
  ? T
  : { readonly [Key in keyof T]: ReadonlyTexts<T[Key]> }

/** All texts of the pages in one language. */
export type Messages = ReadonlyTexts<typeof en>
