/** What a password is called that somebody sends, or that a row keeps. */
export const PASSWORD =
  /^(?:(?:user|plain|entered|hashed|encrypted|current|old)_?)?(?:pass(?:word|wd|phrase|code)?|pwd|senha|contrase(?:n|ñ)a|clave|mot_?de_?passe|mdp|passwort|kennwort|parola|sifre)(?:_?(?:hash|digest|actual|current|old|anterior|vieja))?$/i
