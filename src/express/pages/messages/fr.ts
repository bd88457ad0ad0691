import type { Messages } from './en.ts'

export const fr: Messages = {
  appName: 'Connexion',
  offline: { headline: 'Vous êtes hors ligne', sentence: 'Nous reprenons dès que la connexion revient.' },
  reload: { stop: 'Ne plus recharger cette page', goOn: 'Recharger cette page automatiquement' },
  footer: {
    as: 'Connexion en tant que',
    signedIn: 'Connecté en tant que',
    notYou: 'Ce n’est pas vous ?',
    signOut: 'Se déconnecter',
  },
  waiting: {
    signIn: 'Approuvez la connexion',
    stepUp: 'Confirmez que c’est bien vous',
    stepUpFor: (purpose) => `${purpose} : confirmez que c’est bien vous`,
    changeDevices: 'Confirmez la modification de vos appareils',
    withNumber: (device) => `Nous avons envoyé une demande à ${device}. Tapez-y ce nombre :`,
    withoutNumber: (device) => `Nous avons envoyé une demande à ${device}. Approuvez-la sur cet appareil.`,
    yourDevice: 'votre appareil',
    copy: 'Copier',
    copied: 'Copié',
    scan: 'Ou scannez-le dans l’authentificateur',
    open: 'Ouvrir l’authentificateur sur ce téléphone',
    timeLeft: (span) => `Encore ${span}`,
    noTime: 'Cette page s’actualise automatiquement.',
    nearlyUp: 'Le temps est presque écoulé. Renvoyer ?',
    sendAgain: 'Renvoyer',
    sendAgainIn: (span) => `Renvoyer dans ${span}`,
    tooSoon: 'Laissez d’abord un instant à votre appareil.',
    stop: 'Annuler cette connexion',
    stopChange: 'Annuler cette modification',
  },
  enrolling: {
    headline: 'Configurez votre appareil',
    sentence: 'Désormais, vous approuvez vos connexions sur un appareil, par exemple votre téléphone.',
    steps: {
      camera: 'Ouvrez l’appareil photo du téléphone',
      scan: 'Scannez ce code',
      add: 'Touchez « Ajouter ce compte »',
    },
    another: 'Pour utiliser un autre appareil, scannez ce code avec son appareil photo :',
    qr: 'Code QR du lien qui configure l’authentificateur',
    open: 'Ouvrir l’authentificateur',
    noPhone: 'Pas de téléphone ? Utiliser cet ordinateur (moins sûr)',
    code: 'Ou tapez ce code dans l’authentificateur :',
    codeOnly:
      'Désormais, vous approuvez vos connexions sur un appareil. Tapez ce code dans son application d’authentification :',
    status: 'Nous attendons votre appareil. Cette page continue automatiquement.',
    app: 'Utiliser une autre application d’authentification',
    codeNeeded:
      'Tapez dans l’authentificateur le code d’activation que votre administrateur vous a donné. Si vous n’en avez pas, demandez-lui-en un.',
  },
  approved: { headline: 'Approuvée', sentence: 'Retour à l’application…', button: 'Continuer' },
  ended: {
    user_denied: {
      headline: 'Vous avez refusé cette connexion',
      sentence: 'Quelqu’un d’autre tente peut-être de se connecter en votre nom.',
      button: 'C’était moi – réessayer',
      changePassword: 'Je l’ai refusée – changer de mot de passe',
    },
    reported: {
      headline: 'Signalée',
      sentence: 'Personne n’est entré.',
      button: 'Utiliser un code',
      changePassword: 'Changer de mot de passe',
    },
    wrong_number: {
      headline: 'Ce n’était pas le bon nombre',
      sentence: 'Nous enverrons une nouvelle demande avec un nouveau nombre.',
      button: 'Envoyer une nouvelle demande',
    },
    timeout: {
      headline: 'Le temps est écoulé',
      sentence: 'La demande est restée sans réponse.',
      button: 'Renvoyer',
    },
    cancelled: {
      headline: 'La connexion a été annulée',
      sentence: 'Votre appareil n’affiche plus la demande.',
      button: 'Réessayer',
    },
    push_failed: {
      headline: 'Votre appareil est injoignable',
      sentence: 'Vérifiez qu’il est allumé et connecté à internet.',
      button: 'Renvoyer',
    },
    wrong_code: {
      headline: 'Ce code n’a pas marché',
      sentence: 'Un code sert une seule fois et pendant peu de temps.',
      button: 'Réessayer',
    },
    unexplained: {
      headline: 'La connexion n’a pas été approuvée',
      sentence: 'Votre appareil a refusé la demande, ou personne n’a répondu à temps.',
      button: 'Réessayer',
    },
  },
  changeEnded: {
    user_denied: {
      headline: 'Vous avez refusé cette modification',
      sentence: 'Quelqu’un d’autre utilise peut-être votre compte.',
    },
    cancelled: { headline: 'La modification a été annulée' },
  },
  requestsPaused: (span) => `Les demandes sont bloquées pendant ${span}.`,
  changePassword: 'Si ce n’était pas vous, changez de mot de passe.',
  timedOut: (span) => `La demande est restée sans réponse pendant ${span}.`,
  throttled: {
    headline: 'Attendez un instant',
    sentence: (span) => `Vous pourrez envoyer la prochaine demande dans ${span}.`,
  },
  ways: {
    signIn: 'Autres façons de se connecter',
    confirm: 'Autres façons de confirmer',
    device: {
      title: 'Mon téléphone n’a pas de réseau',
      sentence: 'Ouvrez l’application et touchez « Afficher le code ».',
    },
    otp: { title: 'Utiliser un code', sentence: 'De votre application d’authentification ou de votre jeton matériel.' },
    recovery: (left) => `Utiliser un code de récupération (il en reste ${left})`,
    email: (address) => `Envoyer un code par e-mail à ${address}`,
    ask: {
      title: 'Demander à votre administrateur',
      code: 'Il peut vous donner un code de récupération.',
      device: 'Il peut vous aider à configurer un autre appareil.',
      unlock: 'Il peut débloquer les codes et les demandes pour vous.',
      enter: 'Saisir le code',
    },
    help: 'Obtenir de l’aide',
    back: 'Retour',
  },
  code: {
    code: {
      headline: 'Saisissez un code',
      sentence: 'De votre application d’authentification ou de votre jeton matériel, ou un code de récupération.',
    },
    otp: {
      headline: 'Saisissez un code',
      sentence: 'Tapez le code qu’affiche votre application d’authentification ou votre jeton matériel.',
    },
    bypass: { headline: 'Saisissez un code de récupération', sentence: 'Il a 9 chiffres.' },
    email: {
      headline: 'Saisissez le code reçu par e-mail',
      sentence: 'Il a 6 chiffres. Seul le plus récent est valable.',
    },
    changeDevices: 'Saisissez un code pour modifier vos appareils',
    label: 'Code',
    check: 'Vérifier',
    sendEmail: 'M’envoyer un code par e-mail',
    back: 'Plutôt approuver sur mon appareil',
  },
  notices: {
    no_code: { sentence: 'Un code a de 6 à 9 chiffres.' },
    wrong_code: {
      headline: 'Ce code n’a pas marché',
      sentence: 'Les codes changent toutes les 30 secondes et servent une seule fois.',
      triesLeft: (tries) => `Encore ${tries} essais.`,
      lastTry: (span) => `Encore un code faux, et les codes sont bloqués pendant ${span}`,
      lastTryLocks: 'Encore un code faux, et les codes sont bloqués jusqu’à ce que votre administrateur les débloque',
    },
    codes_paused: {
      headline: 'Trop d’essais',
      sentence: (span) => `Les codes marcheront de nouveau dans ${span}.`,
      until: (time, span) => `Les codes marcheront de nouveau dans ${span} (${time}).`,
      unlock: 'Les codes sont bloqués jusqu’à ce que votre administrateur les débloque.',
    },
    app_ready: {
      headline: 'Votre application est configurée',
      sentence: 'Connectez-vous avec le prochain code qu’elle affiche. Celui que vous avez tapé ne sert plus.',
    },
    emailed: { sentence: 'Nous avons envoyé un code à votre adresse e-mail. Il est valable 10 minutes.' },
    email_failed: {
      sentence:
        'Nous n’avons pas pu envoyer l’e-mail. Connectez-vous d’une autre façon, ou réessayez dans quelques minutes.',
    },
    email_paused: {
      sentence: (span) => `Vous pourrez demander un autre e-mail dans ${span}. Le dernier code marche toujours.`,
    },
  },
  paused: { device: 'Vous pouvez toujours approuver sur votre appareil.', button: 'Envoyer à mon appareil' },
  app: {
    headline: 'Configurez une application d’authentification',
    sentence: 'Scannez ce code avec une application qui affiche des codes, puis tapez le code qu’elle affiche.',
    qr: 'Code QR qui configure une application d’authentification',
    open: 'Ouvrir mon application ici',
    type: 'Je ne peux pas le scanner',
    secret: 'Tapez cette clé dans l’application. Elle en tire un nouveau code toutes les 30 secondes :',
    label: 'Code de l’application',
    check: 'Configurer',
    wrong:
      'Ce n’est pas le code affiché maintenant. Vérifiez que votre téléphone est à l’heure, puis tapez le code le plus récent.',
    back: 'Retour',
  },
  device: {
    headline: 'Remplacez votre appareil',
    sentence: 'L’ancien marche jusqu’à ce que le nouveau soit configuré.',
    cancel: 'Garder l’ancien',
    expires: (span) => `Ce code est encore valable ${span}.`,
  },
  remember: {
    choose: (days) => `Ne plus demander sur ce navigateur pendant ${days}`,
    save: 'Enregistrer',
  },
  recovery: {
    offer: 'Enregistrez des codes de récupération',
    offerSentence: 'Il vous en faudra un si vous perdez votre appareil. Chacun sert une fois.',
    make: 'Afficher mes codes de récupération',
    later: 'Pas maintenant',
    headline: 'Codes de récupération',
    sentence: 'Gardez-les là où vous les trouverez sans votre appareil. Chacun sert une fois.',
    once: 'Ils ne seront plus affichés. De nouveaux codes les remplacent.',
    file: 'Enregistrer dans un fichier',
    print: 'Imprimer',
    done: 'Je les ai enregistrés',
  },
  devices: {
    headline: 'Vos appareils',
    since: (day) => `Depuis le ${day}`,
    last: 'C’est votre seul moyen : sans lui, vous ne pourriez plus vous connecter. Configurez-en d’abord un autre.',
    back: 'Retour à l’application',
    device: {
      title: 'Appareil',
      some: 'Un appareil est configuré.',
      none: 'Aucun appareil n’est configuré.',
      add: 'Configurer un appareil',
      pending: (span) => `Un code pour un nouvel appareil n’a pas encore servi. Il est encore valable ${span}.`,
      show: 'Afficher le code',
      withdraw: 'Retirer le code',
      handedOver:
        'Votre administrateur vous a donné un code d’activation pour un appareil. Tapez-le dans l’authentificateur de cet appareil.',
      replace: 'Remplacer l’appareil',
      remove: 'Retirer l’appareil',
      removal: 'Il ne pourra plus approuver vos connexions.',
      removeNow: 'Le retirer',
    },
    app: {
      title: 'Application d’authentification',
      some: 'Une application est configurée.',
      none: 'Aucune application n’est configurée.',
      add: 'Ajouter une application',
      replace: 'Remplacer l’application',
      remove: 'Retirer l’application',
      removal: 'Ses codes ne marcheront plus.',
      removeNow: 'La retirer',
    },
    hardware: {
      title: 'Jeton matériel',
      remove: 'Je l’ai perdu',
      removal: 'Ses codes cessent aussitôt de marcher. Demandez-en un autre à votre administrateur.',
      removeNow: 'Le signaler comme perdu',
    },
    codes: {
      title: 'Codes de récupération',
      none: 'Il ne vous en reste plus.',
      left: (count) => `Pas encore utilisés : ${count}`,
      old: 'Les anciens ne marcheront plus.',
      make: 'Créer de nouveaux codes',
    },
    email: { title: 'E-mail' },
    browsers: {
      title: 'Navigateurs mémorisés',
      sentence: 'Les navigateurs où vous avez choisi de ne plus être interrogé pendant un temps.',
      forget: 'Oublier tous les navigateurs',
    },
    sessions: {
      title: 'Autres sessions',
      sentence:
        'Partout ailleurs qu’ici, vous devrez de nouveau confirmer que c’est bien vous. Les navigateurs mémorisés sont oubliés.',
      end: 'Fermer mes autres sessions',
    },
    done: {
      device: 'Votre nouvel appareil est configuré.',
      app: 'Votre application est configurée.',
      removed: 'C’est retiré.',
      forgotten: 'Plus aucun navigateur n’est mémorisé.',
      sessions: 'Vos autres sessions sont fermées. L’effet peut prendre une minute.',
      changed:
        'Quelque chose a changé entre-temps. Vérifiez, et refaites votre modification si elle est encore nécessaire.',
    },
  },
  problems: {
    no_device: {
      headline: 'Aucun appareil ne peut approuver',
      sentence:
        'Votre appareil a été retiré. Demandez un nouveau code d’activation à votre administrateur, tapez-le sur votre appareil, puis réessayez.',
      button: 'Réessayer',
    },
    no_member: {
      headline: 'Vous ne pouvez pas encore vous connecter ici',
      sentence:
        'Votre compte n’est pas configuré pour la seconde étape. Demandez à votre administrateur de vous ajouter, puis réessayez.',
      button: 'Réessayer',
    },
    similar_name: {
      headline: 'Nous ne vous connaissons pas sous ce nom',
      sentence: 'Connectez-vous avec votre nom tel qu’il est enregistré, ou demandez à votre administrateur.',
      button: 'Réessayer',
    },
    unavailable: {
      headline: 'Nous ne pouvons rien vérifier pour l’instant',
      sentence: 'Le service de connexion ne répond pas. Vous n’êtes pas connecté ; rien n’est perdu.',
      button: 'Réessayer',
    },
    not_stored: {
      headline: 'Vous n’êtes pas encore connecté',
      sentence: 'Cette application n’a pas pu enregistrer votre connexion. Réessayez dans un instant.',
      button: 'Réessayer',
    },
    slow: {
      headline: 'Nous ne pouvons rien vérifier pour l’instant',
      sentence: 'Le service de connexion met trop de temps. Vous n’êtes pas connecté ; rien n’est perdu.',
      button: 'Réessayer',
    },
    misconfigured: {
      headline: 'Nous ne pouvons rien vérifier ici',
      sentence:
        'Cette application n’est pas configurée pour le service de connexion. Vous n’êtes pas connecté ; prévenez ses responsables.',
      button: 'Réessayer',
    },
    busy: {
      headline: 'Attendez un instant',
      sentence: 'Le service de connexion est surchargé. Vous n’êtes pas connecté ; rien n’est perdu.',
      button: 'Réessayer',
    },
    sign_in_first: {
      headline: 'Connectez-vous d’abord',
      sentence: 'Vous n’êtes pas connecté : il n’y a rien à approuver.',
      button: 'Retour à la connexion',
    },
    not_found: {
      headline: 'Il n’y a rien ici',
      sentence: 'L’adresse est peut-être mal écrite.',
      button: 'Retour à la connexion',
    },
    cross_site: {
      headline: 'Cela ne venait pas de cette page',
      sentence: 'Par sécurité, rien n’a été modifié. Rouvrez la page et recommencez-y.',
      button: 'Ouvrir la page',
    },
    last_factor: {
      headline: 'C’est votre seul moyen',
      sentence: 'Sans lui, vous ne pourriez plus vous connecter. Configurez-en d’abord un autre.',
      button: 'Retour à vos appareils',
    },
    ask_administrator: {
      headline: 'Demandez à votre administrateur',
      sentence:
        'Vous n’avez rien qui puisse confirmer cette modification. Votre administrateur peut vous donner un code de récupération ou un code d’activation.',
      button: 'Retour à vos appareils',
    },
    not_ahead: {
      headline: 'Ouvrez cette page vous-même',
      sentence: 'Elle n’est pas préchargée, car elle envoie une demande à votre appareil.',
    },
  },
}
