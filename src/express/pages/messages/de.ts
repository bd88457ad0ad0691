import type { Messages } from './en.ts'

export const de: Messages = {
  appName: 'Anmeldung',
  offline: { headline: 'Sie sind offline', sentence: 'Es geht weiter, sobald die Verbindung wieder da ist.' },
  reload: { stop: 'Diese Seite nicht mehr neu laden', goOn: 'Diese Seite automatisch neu laden' },
  footer: { as: 'Anmeldung als', signedIn: 'Angemeldet als', notYou: 'Nicht Sie?', signOut: 'Abmelden' },
  waiting: {
    signIn: 'Bestätigen Sie die Anmeldung',
    stepUp: 'Bestätigen Sie, dass Sie es sind',
    stepUpFor: (purpose) => `${purpose}: Bestätigen Sie, dass Sie es sind`,
    changeDevices: 'Bestätigen Sie die Änderung Ihrer Geräte',
    withNumber: (device) => `Wir haben eine Anfrage an ${device} gesendet. Geben Sie dort diese Zahl ein:`,
    withoutNumber: (device) => `Wir haben eine Anfrage an ${device} gesendet. Bestätigen Sie sie dort.`,
    yourDevice: 'Ihr Gerät',
    copy: 'Kopieren',
    copied: 'Kopiert',
    scan: 'Oder im Authenticator scannen',
    open: 'Authenticator auf diesem Handy öffnen',
    timeLeft: (span) => `Noch ${span}`,
    noTime: 'Diese Seite aktualisiert sich von selbst.',
    nearlyUp: 'Die Zeit ist fast um. Erneut senden?',
    sendAgain: 'Erneut senden',
    sendAgainIn: (span) => `Erneut senden in ${span}`,
    tooSoon: 'Geben Sie Ihrem Gerät erst einen Moment.',
    stop: 'Diese Anmeldung abbrechen',
    stopChange: 'Diese Änderung abbrechen',
  },
  enrolling: {
    headline: 'Richten Sie Ihr Gerät ein',
    sentence: 'Ab jetzt bestätigen Sie Anmeldungen auf einem Gerät, etwa auf Ihrem Handy.',
    steps: { camera: 'Kamera des Handys öffnen', scan: 'Diesen Code scannen', add: 'Auf „Konto hinzufügen“ tippen' },
    another: 'Um ein anderes Gerät zu nehmen, scannen Sie diesen Code mit dessen Kamera:',
    qr: 'QR-Code des Links, der den Authenticator einrichtet',
    open: 'Authenticator öffnen',
    noPhone: 'Kein Handy? Diesen Computer nehmen (weniger sicher)',
    code: 'Oder geben Sie diesen Code im Authenticator ein:',
    codeOnly:
      'Ab jetzt bestätigen Sie Anmeldungen auf einem Gerät. Geben Sie diesen Code in dessen Authenticator-App ein:',
    status: 'Wir warten auf Ihr Gerät. Danach geht es hier von selbst weiter.',
    app: 'Eine andere Authenticator-App nehmen',
    codeNeeded:
      'Geben Sie im Authenticator den Aktivierungscode ein, den Sie von Ihrer Administration bekommen haben. Wenn Sie keinen haben, fragen Sie dort danach.',
  },
  approved: { headline: 'Bestätigt', sentence: 'Es geht zurück zur App …', button: 'Weiter' },
  ended: {
    user_denied: {
      headline: 'Sie haben diese Anmeldung abgelehnt',
      sentence: 'Vielleicht will sich jemand anderes in Ihrem Namen anmelden.',
      button: 'Das war ich – noch einmal',
      changePassword: 'Ich habe abgelehnt – Passwort ändern',
    },
    reported: {
      headline: 'Gemeldet',
      sentence: 'Niemand kam hinein.',
      button: 'Code verwenden',
      changePassword: 'Passwort ändern',
    },
    wrong_number: {
      headline: 'Das war nicht die richtige Zahl',
      sentence: 'Wir senden eine neue Anfrage mit einer neuen Zahl.',
      button: 'Neue Anfrage senden',
    },
    timeout: {
      headline: 'Die Zeit ist abgelaufen',
      sentence: 'Die Anfrage wurde nicht rechtzeitig beantwortet.',
      button: 'Erneut senden',
    },
    cancelled: {
      headline: 'Die Anmeldung wurde abgebrochen',
      sentence: 'Ihr Gerät zeigt die Anfrage nicht mehr.',
      button: 'Noch einmal versuchen',
    },
    push_failed: {
      headline: 'Wir haben Ihr Gerät nicht erreicht',
      sentence: 'Prüfen Sie, ob es eingeschaltet und mit dem Internet verbunden ist.',
      button: 'Erneut senden',
    },
    wrong_code: {
      headline: 'Dieser Code hat nicht funktioniert',
      sentence: 'Codes gelten einmal und nur für kurze Zeit.',
      button: 'Noch einmal versuchen',
    },
    unexplained: {
      headline: 'Die Anmeldung wurde nicht bestätigt',
      sentence: 'Ihr Gerät hat die Anfrage abgelehnt, oder niemand hat rechtzeitig geantwortet.',
      button: 'Noch einmal versuchen',
    },
  },
  changeEnded: {
    user_denied: {
      headline: 'Sie haben diese Änderung abgelehnt',
      sentence: 'Vielleicht benutzt jemand anderes Ihr Konto.',
    },
    cancelled: { headline: 'Die Änderung wurde abgebrochen' },
  },
  requestsPaused: (span) => `Anfragen sind für ${span} gesperrt.`,
  changePassword: 'Wenn Sie das nicht waren, ändern Sie Ihr Passwort.',
  timedOut: (span) => `Die Anfrage wurde nicht innerhalb von ${span} beantwortet.`,
  throttled: {
    headline: 'Warten Sie einen Moment',
    sentence: (span) => `Die nächste Anfrage können Sie in ${span} senden.`,
  },
  ways: {
    signIn: 'Andere Wege zur Anmeldung',
    confirm: 'Andere Wege zur Bestätigung',
    device: { title: 'Mein Handy hat kein Netz', sentence: 'Öffnen Sie die App, und tippen Sie auf „Code zeigen“.' },
    otp: { title: 'Code verwenden', sentence: 'Aus Ihrer Authenticator-App oder von Ihrem Hardware-Token.' },
    recovery: (left) => `Wiederherstellungscode verwenden (noch ${left})`,
    email: (address) => `Code per E-Mail an ${address}`,
    ask: {
      title: 'Fragen Sie Ihre Administration',
      code: 'Dort bekommen Sie einen Wiederherstellungscode.',
      device: 'Dort hilft man Ihnen, ein anderes Gerät einzurichten.',
      unlock: 'Dort kann man Codes und Anfragen für Sie entsperren.',
      enter: 'Code eingeben',
    },
    help: 'Hilfe',
    back: 'Zurück',
  },
  code: {
    code: {
      headline: 'Code eingeben',
      sentence: 'Aus Ihrer Authenticator-App, von Ihrem Hardware-Token, oder ein Wiederherstellungscode.',
    },
    otp: {
      headline: 'Code eingeben',
      sentence: 'Geben Sie den Code ein, den Ihre Authenticator-App oder Ihr Hardware-Token zeigt.',
    },
    bypass: { headline: 'Wiederherstellungs\u{AD}code eingeben', sentence: 'Er hat 9 Ziffern.' },
    email: { headline: 'Code aus der E-Mail eingeben', sentence: 'Er hat 6 Ziffern. Nur der neueste gilt.' },
    changeDevices: 'Code eingeben, um Ihre Geräte zu ändern',
    label: 'Code',
    check: 'Prüfen',
    sendEmail: 'Code per E-Mail senden',
    back: 'Lieber auf meinem Gerät bestätigen',
  },
  notices: {
    no_code: { sentence: 'Ein Code hat 6 bis 9 Ziffern.' },
    wrong_code: {
      headline: 'Dieser Code hat nicht funktioniert',
      sentence: 'Codes ändern sich alle 30 Sekunden und gelten einmal.',
      triesLeft: (tries) => `Noch ${tries} Versuche.`,
      lastTry: (span) => `Noch ein falscher Code, und Codes sind für ${span} gesperrt`,
      lastTryLocks: 'Noch ein falscher Code, und Codes sind gesperrt, bis Ihre Administration sie entsperrt',
    },
    codes_paused: {
      headline: 'Zu viele Versuche',
      sentence: (span) => `In ${span} funktionieren Codes wieder.`,
      until: (time, span) => `In ${span} funktionieren Codes wieder (${time}).`,
      unlock: 'Codes sind gesperrt, bis Ihre Administration sie entsperrt.',
    },
    app_ready: {
      headline: 'Ihre App ist eingerichtet',
      sentence: 'Melden Sie sich mit dem nächsten Code an, den sie zeigt. Der eben eingegebene gilt nicht noch einmal.',
    },
    emailed: { sentence: 'Wir haben einen Code an Ihre E-Mail-Adresse gesendet. Er gilt 10 Minuten.' },
    email_failed: {
      sentence:
        'Wir konnten die E-Mail nicht senden. Melden Sie sich auf einem anderen Weg an, oder versuchen Sie es in ein paar Minuten noch einmal.',
    },
    email_paused: {
      sentence: (span) => `Die nächste E-Mail können Sie in ${span} anfordern. Der letzte Code gilt weiter.`,
    },
  },
  paused: { device: 'Auf Ihrem Gerät können Sie weiter bestätigen.', button: 'An mein Gerät senden' },
  app: {
    headline: 'Authenticator-App einrichten',
    sentence: 'Scannen Sie diesen Code mit einer App, die Codes zeigt. Geben Sie dann den Code ein, den sie zeigt.',
    qr: 'QR-Code, der eine Authenticator-App einrichtet',
    open: 'Meine App hier öffnen',
    type: 'Ich kann ihn nicht scannen',
    secret: 'Geben Sie diesen Schlüssel in der App ein. Sie macht daraus alle 30 Sekunden einen neuen Code:',
    label: 'Code aus der App',
    check: 'Einrichten',
    wrong:
      'Das ist nicht der Code, den sie jetzt zeigt. Prüfen Sie, ob die Uhr Ihres Handys richtig geht, und geben Sie dann den neuesten Code ein.',
    back: 'Zurück',
  },
  device: {
    headline: 'Gerät ersetzen',
    sentence: 'Das alte funktioniert, bis das neue eingerichtet ist.',
    cancel: 'Das alte behalten',
    expires: (span) => `Dieser Code gilt noch ${span}.`,
  },
  remember: {
    choose: (days) => `In diesem Browser ${days} lang nicht mehr fragen`,
    save: 'Speichern',
  },
  recovery: {
    offer: 'Wiederherstellungscodes speichern',
    offerSentence: 'Sie brauchen einen, wenn Sie Ihr Gerät verlieren. Jeder gilt einmal.',
    make: 'Meine Wiederherstellungscodes zeigen',
    later: 'Jetzt nicht',
    headline: 'Wiederherstellungscodes',
    sentence: 'Bewahren Sie sie dort auf, wo Sie sie ohne Ihr Gerät finden. Jeder gilt einmal.',
    once: 'Sie werden nicht noch einmal gezeigt. Neue Codes ersetzen diese.',
    file: 'Als Datei speichern',
    print: 'Drucken',
    done: 'Ich habe sie gespeichert',
  },
  devices: {
    headline: 'Ihre Geräte',
    since: (day) => `Seit ${day}`,
    last: 'Das ist Ihre einzige Möglichkeit: Ohne sie könnten Sie sich nicht anmelden. Richten Sie erst eine andere ein.',
    back: 'Zurück zur App',
    device: {
      title: 'Gerät',
      some: 'Ein Gerät ist eingerichtet.',
      none: 'Kein Gerät ist eingerichtet.',
      add: 'Gerät einrichten',
      pending: (span) => `Ein Code für ein neues Gerät wurde noch nicht benutzt. Er gilt noch ${span}.`,
      show: 'Code zeigen',
      withdraw: 'Code zurückziehen',
      handedOver:
        'Ihre Administration hat Ihnen einen Aktivierungscode für ein Gerät gegeben. Geben Sie ihn dort im Authenticator ein.',
      replace: 'Gerät ersetzen',
      remove: 'Gerät entfernen',
      removal: 'Es kann Ihre Anmeldungen dann nicht mehr bestätigen.',
      removeNow: 'Entfernen',
    },
    app: {
      title: 'Authenticator-App',
      some: 'Eine App ist eingerichtet.',
      none: 'Keine App ist eingerichtet.',
      add: 'App hinzufügen',
      replace: 'App ersetzen',
      remove: 'App entfernen',
      removal: 'Ihre Codes gelten dann nicht mehr.',
      removeNow: 'Entfernen',
    },
    hardware: {
      title: 'Hardware-Token',
      remove: 'Ich habe es verloren',
      removal: 'Seine Codes gelten sofort nicht mehr. Ein anderes bekommen Sie von Ihrer Administration.',
      removeNow: 'Als verloren melden',
    },
    codes: {
      title: 'Wiederherstellungscodes',
      none: 'Sie haben keine mehr.',
      left: (count) => `Noch nicht benutzt: ${count}`,
      old: 'Die alten gelten dann nicht mehr.',
      make: 'Neue Codes erstellen',
    },
    email: { title: 'E-Mail' },
    browsers: {
      title: 'Gemerkte Browser',
      sentence: 'Browser, in denen Sie eine Zeit lang nicht gefragt werden wollten.',
      forget: 'Alle Browser vergessen',
    },
    sessions: {
      title: 'Andere Sitzungen',
      sentence:
        'Überall außer hier müssen Sie noch einmal bestätigen, dass Sie es sind. Gemerkte Browser werden vergessen.',
      end: 'Meine anderen Sitzungen beenden',
    },
    done: {
      device: 'Ihr neues Gerät ist eingerichtet.',
      app: 'Ihre App ist eingerichtet.',
      removed: 'Entfernt.',
      forgotten: 'Jetzt ist kein Browser mehr gemerkt.',
      sessions: 'Ihre anderen Sitzungen sind beendet. Es kann eine Minute dauern, bis es überall wirkt.',
      changed:
        'Inzwischen hat sich etwas geändert. Sehen Sie nach, und wiederholen Sie Ihre Änderung, wenn sie noch nötig ist.',
    },
  },
  problems: {
    no_device: {
      headline: 'Kein Gerät kann das bestätigen',
      sentence:
        'Ihr Gerät wurde entfernt. Lassen Sie sich von Ihrer Administration einen neuen Aktivierungscode geben, geben Sie ihn auf Ihrem Gerät ein, und versuchen Sie es dann noch einmal.',
      button: 'Noch einmal versuchen',
    },
    no_member: {
      headline: 'Sie können sich hier noch nicht anmelden',
      sentence:
        'Ihr Konto ist für den zweiten Schritt nicht eingerichtet. Bitten Sie Ihre Administration, Sie hinzuzufügen, und versuchen Sie es dann noch einmal.',
      button: 'Noch einmal versuchen',
    },
    similar_name: {
      headline: 'Unter diesem Namen kennen wir Sie nicht',
      sentence:
        'Melden Sie sich mit dem Namen an, unter dem Sie registriert sind, oder fragen Sie Ihre Administration.',
      button: 'Noch einmal versuchen',
    },
    unavailable: {
      headline: 'Wir können Ihre Anmeldung gerade nicht prüfen',
      sentence: 'Der Anmeldedienst antwortet nicht. Sie sind nicht angemeldet; nichts ging verloren.',
      button: 'Noch einmal versuchen',
    },
    not_stored: {
      headline: 'Sie sind noch nicht angemeldet',
      sentence: 'Diese App konnte Ihre Anmeldung nicht speichern. Versuchen Sie es gleich noch einmal.',
      button: 'Noch einmal versuchen',
    },
    slow: {
      headline: 'Wir können Ihre Anmeldung gerade nicht prüfen',
      sentence: 'Der Anmeldedienst braucht zu lange. Sie sind nicht angemeldet; nichts ging verloren.',
      button: 'Noch einmal versuchen',
    },
    misconfigured: {
      headline: 'Wir können Ihre Anmeldung hier nicht prüfen',
      sentence:
        'Diese App ist für den Anmeldedienst nicht eingerichtet. Sie sind nicht angemeldet; sagen Sie es den Betreibern der App.',
      button: 'Noch einmal versuchen',
    },
    busy: {
      headline: 'Warten Sie einen Moment',
      sentence: 'Der Anmeldedienst ist überlastet. Sie sind nicht angemeldet; nichts ging verloren.',
      button: 'Noch einmal versuchen',
    },
    sign_in_first: {
      headline: 'Melden Sie sich erst an',
      sentence: 'Sie sind nicht angemeldet, darum gibt es nichts zu bestätigen.',
      button: 'Zurück zur Anmeldung',
    },
    not_found: {
      headline: 'Hier ist nichts',
      sentence: 'Vielleicht ist die Adresse falsch geschrieben.',
      button: 'Zurück zur Anmeldung',
    },
    cross_site: {
      headline: 'Das kam nicht von dieser Seite',
      sentence:
        'Zu Ihrer Sicherheit wurde nichts geändert. Öffnen Sie die Seite noch einmal, und wiederholen Sie es dort.',
      button: 'Seite öffnen',
    },
    last_factor: {
      headline: 'Das ist Ihre einzige Möglichkeit',
      sentence: 'Ohne sie könnten Sie sich nicht anmelden. Richten Sie erst eine andere ein.',
      button: 'Zurück zu Ihren Geräten',
    },
    ask_administrator: {
      headline: 'Fragen Sie Ihre Administration',
      sentence:
        'Sie haben nichts, womit Sie diese Änderung bestätigen können. Ihre Administration kann Ihnen einen Wiederherstellungscode oder einen Aktivierungscode geben.',
      button: 'Zurück zu Ihren Geräten',
    },
    not_ahead: {
      headline: 'Öffnen Sie diese Seite selbst',
      sentence: 'Sie wird nicht im Voraus geladen, weil sie eine Anfrage an Ihr Gerät sendet.',
    },
  },
}
