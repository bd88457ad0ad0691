import type { MailWords } from './en.ts'

export const es: MailWords = {
  code: {
    headline: (place) => `Su código para ${place}`,
    use: (minutes) => `Escríbalo en la página donde lo pidió. Sirve una sola vez, durante ${minutes} minutos.`,
    warning: 'Si no lo pidió usted, cambie su contraseña.',
  },
  changes: {
    device_added: (place) => `${place}: se añadió un dispositivo`,
    device_replaced: (place) => `${place}: se sustituyó su dispositivo`,
    device_removed: (place) => `${place}: se quitó un dispositivo`,
    app_added: (place) => `${place}: se añadió una aplicación de autenticación`,
    app_replaced: (place) => `${place}: se sustituyó su aplicación de autenticación`,
    app_removed: (place) => `${place}: se quitó su aplicación de autenticación`,
    hardware_added: (place) => `${place}: se añadió un generador de códigos`,
    hardware_removed: (place) => `${place}: se quitó su generador de códigos`,
    passkey_added: (place) => `${place}: se añadió una llave de acceso`,
    passkey_removed: (place) => `${place}: se quitó una llave de acceso`,
    codes_made: (place) => `${place}: se crearon nuevos códigos de recuperación`,
    codes_removed: (place) => `${place}: se eliminaron códigos de recuperación`,
    unlocked: (place) => `${place}: se desbloquearon sus códigos y solicitudes de inicio de sesión`,
    signed_out: (place) => `${place}: se cerró su sesión en todas las aplicaciones`,
    browser_kept: (place) => `${place}: se añadió un navegador`,
    reset: (place) => `${place}: se restablecieron sus segundos factores`,
  },
  reported: {
    headline: (place) => `Avisó de un inicio de sesión en ${place}`,
    sentence: 'No entró nadie. Durante 15 minutos no le llega ninguna solicitud; mientras tanto entre con un código.',
    warning: 'Puede que alguien sepa su contraseña: cámbiela.',
  },
  locked: {
    headline: (place) => `Sus códigos para ${place} están bloqueados`,
    sentence: 'Se escribieron demasiados códigos incorrectos.',
    until: (time) => `Los códigos volverán a funcionar el ${time}.`,
    unlock: 'Solo su administrador puede desbloquearlos.',
    warning: 'Si no fue usted, puede que alguien sepa su contraseña: cámbiela.',
  },
  caller: {
    headline: (place) => `Puede que alguien esté llamando a su servicio de asistencia por ${place}`,
    sentence: (user) => `El servicio de asistencia preguntó a ${user} si la llamada era suya, y la respuesta fue no.`,
    blocked:
      'El servicio de asistencia no puede cambiar nada de este usuario durante 24 horas. Los propietarios y administradores sí.',
    warning: 'Llame al usuario a un número que ya conozca.',
  },
  disowned: {
    headline: (place) => `Alguien de ${place} dice: no he sido yo`,
    sentence: (user) => `${user} recibió un correo sobre un cambio y respondió que no lo había hecho.`,
    done: 'Las solicitudes nuevas a esta persona quedan en pausa durante 15 minutos, y se cerró su sesión en todas las aplicaciones.',
  },
  notMe: {
    link: 'No he sido yo',
    question: '¿Ha sido usted?',
    effect:
      'Si no, pulse el botón. Las solicitudes nuevas a sus dispositivos quedan entonces en pausa durante 15 minutos, se cierra su sesión en todas las aplicaciones y se avisa a su administrador. Sus dispositivos, códigos y navegadores conservados siguen como están.',
    close: 'Si ha sido usted, cierre esta página.',
    asksNothing: 'Esta página no pide contraseñas ni códigos.',
    done: 'Su administrador está avisado',
    doneSentence:
      'Las solicitudes nuevas quedan en pausa durante 15 minutos y se cerró su sesión en todas las aplicaciones. Durante la pausa puede entrar con un código.',
    next: 'Puede que alguien sepa su contraseña: cámbiela pronto.',
    over: 'Este enlace ya no funciona',
    overSentence:
      'Funciona durante siete días. Si algo no lo hizo usted, cambie su contraseña y avise a su administrador.',
    later: 'El servicio no responde. Inténtelo de nuevo en un momento.',
  },
  enrollment: {
    headline: (place) => `Configure su inicio de sesión en ${place}`,
    first:
      'Abra este enlace en su teléfono. Configura el dispositivo que a partir de ahora confirma sus inicios de sesión.',
    another: 'Abra este enlace en su teléfono. Configura otro dispositivo para confirmar sus inicios de sesión.',
    button: 'Configurar este dispositivo',
    scan: '¿Lee esto en un ordenador? Escanee el código con la cámara de su teléfono.',
    until: (time) => `El enlace funciona una sola vez, hasta el ${time}.`,
    warning: 'No reenvíe este correo: quien tenga el enlace puede configurar un dispositivo en su nombre.',
  },
  addressChanged: {
    headline: (place) => `${place}: se cambió su dirección de correo`,
    sentence:
      'A partir de ahora, los correos van a la nueva dirección. Los enlaces y códigos enviados a esta ya no funcionan.',
  },
  bulk: {
    headline: (place) => `Se están cambiando muchos usuarios de ${place}`,
    sentence: (name, people) => `${name} ha iniciado una acción sobre ${people} usuarios.`,
    total: (name, people) => `En 24 horas, ${name} ha actuado sobre ${people} usuarios.`,
    warning: 'Si no lo esperaba, cancélela en la consola: Personas, Acciones en grupo.',
    revoke: 'Si no lo esperaba, revoque su acceso en la consola: Administradores.',
  },
  handedCode: {
    you: (place) => `${place}: se creó un código de recuperación para usted`,
    help_desk: (place) => `${place}: el servicio de asistencia creó un código de recuperación para usted`,
    administrator: (place) => `${place}: su administrador creó un código de recuperación para usted`,
    app: (place) => `${place}: se creó un código de recuperación para usted`,
  },
  facts: {
    device: (name) => `Dispositivo: ${name}`,
    browser: (name) => `Navegador: ${name}`,
    place: (name) => `Lugar: ${name}`,
    by: (author) => `Por: ${author}`,
    authors: {
      you: 'usted',
      help_desk: 'el servicio de asistencia',
      administrator: 'un administrador',
      app: 'la aplicación',
    },
  },
  time: (time) => `Fecha: ${time}`,
  tell: 'Si no fue usted, avise a su administrador.',
}
