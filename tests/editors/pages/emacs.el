;;; Runs in an Emacs that is configured as docs/editors/emacs.md says; prints what it sees as JSON.  -*- lexical-binding: t -*-
(require 'json)
(require 'cl-lib)
(require 'python)
(require 'eglot)

(defvar seen nil)

(defun wait-for (what probe)
  (let ((end (+ (float-time) 60)) (found nil))
    (while (and (not found) (< (float-time) end))
      (accept-process-output nil 0.05)
      (setq found (funcall probe)))
    (or found (error "No %s" what))))

(condition-case err
    (progn
      (setq eglot-sync-connect t enable-local-variables :all)
      (find-file (getenv "PYPTO_FILE"))
      ;; What `eglot-ensure' left for the end of the command; there are none without a terminal.
      (run-hooks 'post-command-hook)
      (let ((server (wait-for "server" #'eglot-current-server)))
        (flymake-mode 1)
        (flymake-start)
        (push (cons 'text (flymake-diagnostic-text (wait-for "diagnostics" (lambda () (car (flymake-diagnostics)))))) seen)
        (push (cons 'backend (plist-get (jsonrpc-request server :workspace/executeCommand
                                                         (list :command "pypto.server.backend"
                                                               :arguments (vector (eglot--path-to-uri buffer-file-name))))
                                        :backend))
              seen)
        (push (cons 'command (process-command (jsonrpc--process server))) seen)))
  (error (push (cons 'fault (format "%S" err)) seen)))
(princ (concat (json-encode seen) "\n"))
(kill-emacs 0)
