import type { MailWords } from './en.ts'

export const de: MailWords = {
  code: {
    headline: (place) => `Ihr Code für ${place}`,
    use: (minutes) =>
      `Geben Sie ihn auf der Seite ein, auf der Sie ihn angefordert haben. Er gilt einmal, ${minutes} Minuten lang.`,
    warning: 'Wenn Sie ihn nicht angefordert haben, ändern Sie Ihr Passwort.',
  },
  changes: {
    device_added: (place) => `${place}: Ein Gerät wurde hinzugefügt`,
    device_replaced: (place) => `${place}: Ihr Gerät wurde ersetzt`,
    device_removed: (place) => `${place}: Ein Gerät wurde entfernt`,
    app_added: (place) => `${place}: Eine Authenticator-App wurde hinzugefügt`,
    app_replaced: (place) => `${place}: Ihre Authenticator-App wurde ersetzt`,
    app_removed: (place) => `${place}: Ihre Authenticator-App wurde entfernt`,
    hardware_added: (place) => `${place}: Ein Codegenerator wurde hinzugefügt`,
    hardware_removed: (place) => `${place}: Ihr Codegenerator wurde entfernt`,
    passkey_added: (place) => `${place}: Ein Passkey wurde hinzugefügt`,
    passkey_removed: (place) => `${place}: Ein Passkey wurde entfernt`,
    codes_made: (place) => `${place}: Neue Wiederherstellungscodes wurden erstellt`,
    codes_removed: (place) => `${place}: Wiederherstellungscodes wurden entfernt`,
    unlocked: (place) => `${place}: Ihre Codes und Anmeldeanfragen wurden entsperrt`,
    signed_out: (place) => `${place}: Sie wurden aus allen Apps abgemeldet`,
    browser_kept: (place) => `${place}: Ein Browser wurde hinzugefügt`,
    reset: (place) => `${place}: Ihre zweiten Faktoren wurden zurückgesetzt`,
  },
  reported: {
    headline: (place) => `Sie haben eine Anmeldung bei ${place} gemeldet`,
    sentence:
      'Niemand kam hinein. 15 Minuten lang erreicht Sie keine Anfrage; melden Sie sich so lange mit einem Code an.',
    warning: 'Vielleicht kennt jemand Ihr Passwort: Ändern Sie es.',
  },
  locked: {
    headline: (place) => `Ihre Codes für ${place} sind gesperrt`,
    sentence: 'Es wurden zu viele falsche Codes eingegeben.',
    until: (time) => `Am ${time} funktionieren Codes wieder.`,
    unlock: 'Nur Ihr Administrator kann sie entsperren.',
    warning: 'Wenn Sie das nicht waren, kennt vielleicht jemand Ihr Passwort: Ändern Sie es.',
  },
  caller: {
    headline: (place) => `Jemand ruft womöglich Ihren Helpdesk wegen ${place} an`,
    sentence: (user) => `Der Helpdesk hat ${user} gefragt, ob der Anruf echt ist. Die Antwort war Nein.`,
    blocked: 'Der Helpdesk kann für diese Person 24 Stunden lang nichts ändern. Inhaber und Verwalter können es.',
    warning: 'Rufen Sie die Person unter einer Nummer an, die Sie schon kennen.',
  },
  disowned: {
    headline: (place) => `Jemand bei ${place} sagt: Das war ich nicht`,
    sentence: (user) => `${user} hat eine E-Mail über eine Änderung bekommen und geantwortet: Das war ich nicht.`,
    done: 'Neue Anfragen an diese Person pausieren 15 Minuten lang. Sie wurde aus allen Apps abgemeldet.',
  },
  notMe: {
    link: 'Das war ich nicht',
    question: 'Waren Sie das?',
    effect:
      'Wenn nicht, drücken Sie den Knopf. Neue Anfragen an Ihre Geräte pausieren dann 15 Minuten lang, Sie werden aus allen Apps abgemeldet, und Ihr Administrator erfährt davon. Ihre Geräte, Codes und behaltenen Browser bleiben, wie sie sind.',
    close: 'Wenn Sie es waren, schließen Sie diese Seite.',
    asksNothing: 'Diese Seite fragt nach keinem Passwort und keinem Code.',
    done: 'Ihr Administrator weiß Bescheid',
    doneSentence:
      'Neue Anfragen pausieren 15 Minuten lang, und Sie wurden aus allen Apps abgemeldet. Während der Pause können Sie sich mit einem Code anmelden.',
    next: 'Vielleicht kennt jemand Ihr Passwort: Ändern Sie es bald.',
    over: 'Dieser Link funktioniert nicht mehr',
    overSentence:
      'Er funktioniert sieben Tage lang. Wenn etwas nicht von Ihnen war, ändern Sie Ihr Passwort und sagen Sie es Ihrem Administrator.',
    later: 'Der Dienst antwortet nicht. Versuchen Sie es gleich noch einmal.',
  },
  enrollment: {
    headline: (place) => `Richten Sie Ihre Anmeldung bei ${place} ein`,
    first:
      'Öffnen Sie diesen Link auf Ihrem Smartphone. Damit richten Sie das Gerät ein, mit dem Sie künftig Anmeldungen bestätigen.',
    another:
      'Öffnen Sie diesen Link auf Ihrem Smartphone. Damit richten Sie ein weiteres Gerät ein, mit dem Sie Anmeldungen bestätigen.',
    button: 'Dieses Gerät einrichten',
    scan: 'Lesen Sie das am Computer? Scannen Sie den Code mit der Kamera Ihres Smartphones.',
    until: (time) => `Der Link funktioniert einmal, bis ${time}.`,
    warning: 'Leiten Sie diese Mail nicht weiter: Wer den Link hat, kann in Ihrem Namen ein Gerät einrichten.',
  },
  addressChanged: {
    headline: (place) => `${place}: Ihre E-Mail-Adresse wurde geändert`,
    sentence:
      'Mails gehen ab jetzt an die neue Adresse. Links und Codes, die an diese Adresse gingen, funktionieren nicht mehr.',
  },
  bulk: {
    headline: (place) => `Viele Benutzer von ${place} werden geändert`,
    sentence: (name, people) => `${name} hat eine Aktion für ${people} Benutzer gestartet.`,
    total: (name, people) => `In 24 Stunden hat ${name} Aktionen für ${people} Benutzer ausgeführt.`,
    warning: 'Wenn Sie das nicht erwarten, brechen Sie sie in der Konsole ab: Personen, Sammelaktionen.',
    revoke: 'Wenn Sie das nicht erwarten, entziehen Sie den Zugriff in der Konsole: Administratoren.',
  },
  handedCode: {
    you: (place) => `${place}: Ein Wiederherstellungscode wurde für Sie erstellt`,
    help_desk: (place) => `${place}: Der Helpdesk hat einen Wiederherstellungscode für Sie erstellt`,
    administrator: (place) => `${place}: Ihr Administrator hat einen Wiederherstellungscode für Sie erstellt`,
    app: (place) => `${place}: Ein Wiederherstellungscode wurde für Sie erstellt`,
  },
  facts: {
    device: (name) => `Gerät: ${name}`,
    browser: (name) => `Browser: ${name}`,
    place: (name) => `Ort: ${name}`,
    by: (author) => `Durch: ${author}`,
    authors: { you: 'Sie', help_desk: 'den Helpdesk', administrator: 'einen Administrator', app: 'die App' },
  },
  time: (time) => `Zeitpunkt: ${time}`,
  tell: 'Wenn Sie das nicht waren, sagen Sie es Ihrem Administrator.',
}
