;;; The server under Emacs eglot: connection, diagnostics, hover, code actions. Prints "N passed, N failed".  -*- lexical-binding: t -*-
(require 'eglot)
(require 'cl-lib)
(require 'python)

(defvar passed 0)
(defvar failed 0)
(defvar root (getenv "PYPTO_ROOT"))
(setq eglot-sync-connect t eglot-autoshutdown nil eglot-confirm-server-initiated-edits nil)
(add-to-list 'eglot-server-programs `(python-mode . (,(getenv "PYPTO_PYTHON") "-m" "pypto_lsp" "serve")))

(defun check (name run)
  (condition-case err
      (progn (funcall run) (setq passed (1+ passed)) (princ (format "ok   %s\n" name)))
    (error (setq failed (1+ failed)) (princ (format "FAIL %s: %S\n" name err)))))

(defun wait-for (probe)
  (let ((end (+ (float-time) 60)) (found nil))
    (while (and (not found) (< (float-time) end))
      (accept-process-output nil 0.05)
      (setq found (funcall probe)))
    (or found (error "timeout"))))

(defun open-kernel (file)
  (find-file (expand-file-name file root))
  (python-mode)
  (apply #'eglot--connect (eglot--guess-contact))
  (eglot--managed-mode 1)
  (flymake-mode 1)
  (flymake-start))

(defun texts () (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(check "diagnostics carry the code"
       (lambda ()
         (open-kernel "docs/samples/wrong_column_peak.py")
         (wait-for (lambda () (cl-some (lambda (text) (string-match-p "aiv-reduce-split-axis" text)) (texts))))))
(check "hover shows the lanes"
       (lambda ()
         (find-file (expand-file-name "docs/samples/scaled_product.py" root))
         (python-mode)
         (eglot--managed-mode 1)
         (goto-char (point-min))
         (search-forward "scaled = pl.mul")
         (goto-char (1+ (match-beginning 0)))
         ;; A hover does not wait for the lowering, from which the lanes come.
         (wait-for (lambda ()
                     (let ((hover (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover (eglot--TextDocumentPositionParams))))
                       (string-match-p "per lane" (format "%S" hover)))))))
(check "a code action is offered"
       (lambda ()
         (find-file (expand-file-name "tests/editors/fixable.py" root))
         (python-mode)
         (eglot--managed-mode 1)
         (flymake-mode 1)
         (flymake-start)
         (let* ((found (wait-for (lambda () (car (flymake-diagnostics)))))
                (actions (jsonrpc-request
                          (eglot--current-server-or-lose) :textDocument/codeAction
                          (list :textDocument (eglot--TextDocumentIdentifier)
                                :range (list :start (eglot--pos-to-lsp-position (flymake-diagnostic-beg found))
                                             :end (eglot--pos-to-lsp-position (flymake-diagnostic-end found)))
                                :context (list :diagnostics [])))))
           (unless (> (length actions) 1) (error "only %S" actions)))))

(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (= failed 0) 0 1))
